// This file has the icons of the console: drawn, because fonts of machines do not have the same signs. They are decoration; what they mean is
// said in words beside them.

const PATHS = {
  lock: 'M5 7V5a3 3 0 0 1 6 0v2h1v6H4V7zm1.5 0h3V5a1.5 1.5 0 0 0-3 0z',
  eye: 'M8 3.5c3.5 0 5.8 3 6.5 4.5-.7 1.5-3 4.5-6.5 4.5S2.2 9.500 1.500 8C2.200 6.500 4.500 3.500 8 3.500zm0 2a2.500 2.500 0 1 0 0 5 2.500 2.500 0 0 0 0-5z',
  clock:
    'M8 1.500a6.500 6.500 0 1 1 0 13 6.500 6.500 0 0 1 0-13zM7.250 4v4.400l3 1.800.75-1.250-2.250-1.350V4z',
  warning: 'M8 1.500 15 14H1zM7.250 6v4h1.500V6zm0 5v1.500h1.500V11z',
  cross: 'm4 2.600 4 4 4-4L13.400 4l-4 4 4 4-1.400 1.400-4-4-4 4L2.600 12l4-4-4-4z',
  check: 'm6.500 12.600-4.100-4.100 1.400-1.400 2.700 2.700 5.700-5.700 1.400 1.400z',
  up: 'm8 4 5 6-1.500 1.200L8 7l-3.500 4.200L3 10z',
  down: 'm8 12-5-6 1.500-1.200L8 9l3.500-4.200L13 6z',
  arrow: 'M9 3.500 13.500 8 9 12.500 7.900 11.400l2.600-2.650H2.500v-1.500h8L7.900 4.600z',
  back: 'M7 3.500 2.500 8 7 12.500 8.100 11.400 5.500 8.750h8v-1.500h-8l2.600-2.650z',
  right: 'm12 8-6 5-1.200-1.500L9 8 4.800 4.500 6 3z',
  more: 'M8 2a1.400 1.400 0 1 1 0 2.800A1.400 1.400 0 0 1 8 2zm0 4.600a1.400 1.400 0 1 1 0 2.800 1.400 1.400 0 0 1 0-2.800zm0 4.600a1.400 1.400 0 1 1 0 2.800 1.400 1.400 0 0 1 0-2.800z',
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg
      width="1em"
      height="1em"
      viewBox="0 0 16 16"
      fill="currentColor"
      fillRule="evenodd"
      aria-hidden="true"
      style={{ verticalAlign: '-0.125em', flex: 'none' }}
    >
      <path d={PATHS[name]} />
    </svg>
  );
}
