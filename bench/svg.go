package bench

import (
	"fmt"
	"io"
	"strings"
)

// WriteSVG draws precision against recall, with the threshold on the score as the
// hand that moves. It is a picture of its own: no script, no font, no colour that a dark page hides.
func WriteSVG(w io.Writer, points []CurvePoint) error {
	const width, height, left, top, plotW, plotH = 420, 300, 48, 16, 352, 236
	low := 1.0
	for _, p := range points {
		low = min(low, p.Precision)
	}
	low = min(0.95, float64(int(low*20))/20) // down to a twentieth
	x := func(recall float64) float64 { return left + recall*plotW }
	y := func(precision float64) float64 { return top + (1-precision)/(1-low)*plotH }
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" font-family="sans-serif" font-size="11">`+"\n", width, height, width, height)
	b.WriteString("<title>Precision against recall</title>\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n")
	for i := range 6 {
		r := float64(i) / 5
		fmt.Fprintf(&b, `<path d="M%.1f %d V%d" stroke="#ddd"/><text x="%.1f" y="%d" text-anchor="middle">%.1f</text>`+"\n", x(r), top, top+plotH, x(r), top+plotH+16, r)
		p := low + (1-low)*float64(i)/5
		fmt.Fprintf(&b, `<path d="M%d %.1f H%d" stroke="#ddd"/><text x="%d" y="%.1f" text-anchor="end">%.3f</text>`+"\n", left, y(p), left+plotW, left-6, y(p)+4, p)
	}
	fmt.Fprintf(&b, `<text x="%d" y="%d" text-anchor="middle">recall, mean of the seven rules</text>`+"\n", left+plotW/2, height-10)
	fmt.Fprintf(&b, `<text transform="translate(11 %d) rotate(-90)" text-anchor="middle">precision</text>`+"\n", top+plotH/2)
	if len(points) > 0 {
		var line []string
		for _, p := range points {
			line = append(line, fmt.Sprintf("%.1f,%.1f", x(p.Recall), y(p.Precision)))
		}
		fmt.Fprintf(&b, `<polyline points="%s" fill="none" stroke="#0b57d0" stroke-width="1.5"/>`+"\n", strings.Join(line, " "))
	}
	b.WriteString("</svg>\n")
	_, err := io.WriteString(w, b.String())
	return err
}
