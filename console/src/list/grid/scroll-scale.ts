// This file maps between the scroll bar and the rows. Browsers clamp elements at about 17 million pixels, so that a long list has a shorter
// scroll bar than its rows would need.

/** Pixels. */
export const ROW_HEIGHT = 36;
/** Rows up to which each has its own place on the scroll bar. */
const MOST_EXACT_ROWS = 400_000;

export interface ScrollScale {
  /** Pixels: the height of the element that scrolls. */
  readonly height: number;
  /** How far the rows move when the scroll bar moves by one. */
  readonly factor: number;
}

/** @param viewport the visible height of the rows in pixels */
export function scrollScale(rows: number, viewport: number, rowHeight = ROW_HEIGHT): ScrollScale {
  const full = rows * rowHeight;
  if (rows <= MOST_EXACT_ROWS) return { height: full, factor: 1 };
  const height = MOST_EXACT_ROWS * rowHeight;
  return { height, factor: (full - viewport) / (height - viewport) };
}

/**
 * Where to scroll so that a row is visible; undefined if it is.
 *
 * @param offset the present place of the scroll bar
 */
export function offsetForRow(
  row: number,
  offset: number,
  viewport: number,
  scale: ScrollScale,
  rowHeight = ROW_HEIGHT,
): number | undefined {
  const top = row * rowHeight;
  const seen = offset * scale.factor;
  if (top < seen) return top / scale.factor;
  if (top + rowHeight > seen + viewport) return (top + rowHeight - viewport) / scale.factor;
  return undefined;
}
