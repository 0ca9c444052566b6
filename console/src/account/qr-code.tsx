// This file shows a text as a QR code.
import encodeQR from 'qr';

/** Pixels of a module. */
const SIZE = 4;

export function QrCode({ content, label }: { readonly content: string; readonly label: string }) {
  const rows = encodeQR(content, 'raw', { border: 4 });
  const side = rows.length;
  const path = rows.flatMap((row, y) =>
    row.flatMap((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : [])),
  );
  return (
    <svg
      role="img"
      aria-label={label}
      width={side * SIZE}
      height={side * SIZE}
      viewBox={`0 0 ${side} ${side}`}
      shapeRendering="crispEdges"
    >
      <path fill="#fff" d={`M0 0h${side}v${side}h-${side}z`} />
      <path fill="#000" d={path.join('')} />
    </svg>
  );
}
