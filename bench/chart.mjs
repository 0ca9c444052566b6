// This file draws the ratios of a run by processor time as an SVG: a bar for each workload, a line at the baseline, and a mark at the goal.

const ROW = 26;
const LEFT = 220;
const WIDTH = 430;
const LONGEST = 1.5;

export function drawChart(results) {
  const height = results.length * ROW + 50;
  const x = (ratio) => LEFT + (Math.min(ratio, LONGEST) / LONGEST) * WIDTH;
  const bars = results.map((row, index) => {
    const y = index * ROW + 30;
    const goal =
      row.goal === undefined || row.goal > LONGEST
        ? ''
        : `<line x1="${x(row.goal)}" x2="${x(row.goal)}" y1="${y - 2}" y2="${y + 18}" stroke="#c2410c" stroke-width="2"/>`;
    return `<text x="${LEFT - 8}" y="${y + 13}" text-anchor="end">${row.id} ${row.name}</text><rect x="${LEFT}" y="${y}" width="${(x(row.cpuRatio) - LEFT).toFixed(1)}" height="16" fill="#2563eb"/>${goal}<text x="${x(row.cpuRatio) + 6}" y="${y + 13}">${row.cpuRatio.toFixed(2)}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${LEFT + WIDTH + 70}" height="${height}" font-family="sans-serif" font-size="12">
<title>Processor time of the baseline relative to Docket, by workload</title>
<rect width="100%" height="100%" fill="#ffffff"/>
<text x="${LEFT}" y="16">Processor time of the baseline relative to Docket; marked: the goal</text>
<line x1="${x(1)}" x2="${x(1)}" y1="24" y2="${height - 14}" stroke="#475569" stroke-dasharray="4 3"/>
${bars.join('\n')}
</svg>
`;
}
