// Icons: 20 × 20, drawn in the color of the text.

const icon = (body: string): string =>
  `<svg viewBox="0 0 20 20" width="20" height="20" fill="none" stroke="currentColor" stroke-width="1.5" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">${body}</svg>`;

export const ICONS = {
  logo: `<svg viewBox="0 0 24 24" width="24" height="24" aria-hidden="true"><path d="M5 20c0-7 2-9 6-10.5S18 6.5 18 3" fill="none" stroke="url(#g)" stroke-width="4" stroke-linecap="round"/><circle cx="18.2" cy="3.6" r="2.9" fill="#ffb84d"/><circle cx="5" cy="20" r="2.9" fill="#5b8cff"/><defs><linearGradient id="g" x1="5" y1="20" x2="18" y2="3" gradientUnits="userSpaceOnUse"><stop stop-color="#5b8cff"/><stop offset="1" stop-color="#ff7ab8"/></linearGradient></defs></svg>`,
  open: icon(
    '<path d="M3 6.5V15a1.5 1.5 0 0 0 1.5 1.5h11A1.5 1.5 0 0 0 17 15V8a1.5 1.5 0 0 0-1.5-1.5H10L8.2 4.4A1 1 0 0 0 7.4 4H4.5A1.5 1.5 0 0 0 3 5.5z"/>',
  ),
  eye: icon('<path d="M2.5 10S5.5 5 10 5s7.5 5 7.5 5-3 5-7.5 5-7.5-5-7.5-5z"/><circle cx="10" cy="10" r="2.2"/>'),
  undo: icon('<path d="M7.5 4 4 7.5 7.5 11"/><path d="M4 7.5h7.5a4.5 4.5 0 0 1 0 9H8"/>'),
  redo: icon('<path d="M12.5 4 16 7.5 12.5 11"/><path d="M16 7.5H8.5a4.5 4.5 0 0 0 0 9H12"/>'),
  play: icon(
    '<path d="M6.5 4.2v11.6a.6.6 0 0 0 .9.5l9-5.8a.6.6 0 0 0 0-1l-9-5.8a.6.6 0 0 0-.9.5z" fill="currentColor" stroke="none"/>',
  ),
  pause: icon(
    '<rect x="5.5" y="4" width="3.2" height="12" rx="1" fill="currentColor" stroke="none"/><rect x="11.3" y="4" width="3.2" height="12" rx="1" fill="currentColor" stroke="none"/>',
  ),
  back: icon('<path d="M12.5 5 7 10l5.5 5z" fill="currentColor" stroke="none"/><path d="M5.5 5v10"/>'),
  next: icon('<path d="M7.5 5 13 10l-5.5 5z" fill="currentColor" stroke="none"/><path d="M14.5 5v10"/>'),
  start: icon('<path d="M15 5 9.5 10l5.5 5zM9.5 5 4 10l5.5 5z" fill="currentColor" stroke="none"/>'),
  loop: icon(
    '<path d="M4 9.5V9a3 3 0 0 1 3-3h8.5"/><path d="m13 3.5 2.5 2.5L13 8.5"/><path d="M16 10.5v.5a3 3 0 0 1-3 3H4.5"/><path d="M7 16.5 4.5 14 7 11.5"/>',
  ),
  single: icon('<rect x="3" y="4" width="14" height="12" rx="1.5"/>'),
  wipe: icon(
    '<rect x="3" y="4" width="14" height="12" rx="1.5"/><path d="M10 2v16"/><path d="M10 4h5.5A1.5 1.5 0 0 1 17 5.5v9a1.5 1.5 0 0 1-1.5 1.5H10z" fill="currentColor" fill-opacity=".35" stroke="none"/>',
  ),
  split: icon(
    '<rect x="2.5" y="4" width="6.5" height="12" rx="1.5"/><rect x="11" y="4" width="6.5" height="12" rx="1.5" fill="currentColor" fill-opacity=".35"/>',
  ),
  ghost: icon(
    '<rect x="2.5" y="3" width="11" height="11" rx="1.5" stroke-dasharray="2 2"/><rect x="6.5" y="6" width="11" height="11" rx="1.5" fill="currentColor" fill-opacity=".35"/>',
  ),
  sun: icon(
    '<circle cx="10" cy="10" r="3.2"/><path d="M10 2.5v1.7M10 15.8v1.7M2.5 10h1.7M15.8 10h1.7M4.7 4.7l1.2 1.2M14.1 14.1l1.2 1.2M4.7 15.3l1.2-1.2M14.1 5.9l1.2-1.2"/>',
  ),
  moon: icon('<path d="M16.5 11.8A6.8 6.8 0 0 1 8.2 3.5a6.8 6.8 0 1 0 8.3 8.3z"/>'),
  help: icon(
    '<circle cx="10" cy="10" r="7"/><path d="M8 8a2 2 0 1 1 2.9 1.8c-.6.3-.9.7-.9 1.4"/><path d="M10 13.8v.1"/>',
  ),
  gauge: icon(
    '<path d="M3.5 14a7 7 0 1 1 13 0"/><path d="m10 12 3-4.5"/><circle cx="10" cy="12.5" r="1" fill="currentColor"/>',
  ),
  set: icon('<path d="M4 15.5h12M6.5 15.5V11a3.5 3.5 0 0 1 7 0v4.5M10 3v2M4.2 5.4l1.4 1.3M15.8 5.4l-1.4 1.3"/>'),
  cube: icon('<path d="M10 3 16 6.2v7.6L10 17l-6-3.2V6.2zM4 6.2l6 3.3 6-3.3M10 9.5V17"/>'),
  sidebar: icon('<rect x="3" y="4" width="14" height="12" rx="1.5"/><path d="M8 4v12"/>'),
  sliders: icon(
    '<path d="M3.5 6h8M15 6h1.5M3.5 14H5M8.5 14h8"/><circle cx="13.2" cy="6" r="1.8"/><circle cx="6.8" cy="14" r="1.8"/>',
  ),
  frame: icon(
    '<path d="M3.5 7V5A1.5 1.5 0 0 1 5 3.5h2M13 3.5h2A1.5 1.5 0 0 1 16.5 5v2M16.5 13v2a1.5 1.5 0 0 1-1.5 1.5h-2M7 16.5H5A1.5 1.5 0 0 1 3.5 15v-2"/><circle cx="10" cy="10" r="2.5"/>',
  ),
  follow: icon(
    '<rect x="2.5" y="5.5" width="10" height="9" rx="1.5"/><path d="m12.5 9 5-2.5v7l-5-2.5"/><circle cx="7.5" cy="10" r="1.8"/>',
  ),
  close: icon('<path d="m5.5 5.5 9 9M14.5 5.5l-9 9"/>'),
  chevron: icon('<path d="m7.5 5.5 4.5 4.5-4.5 4.5"/>'),
  down: icon('<path d="m5.5 8 4.5 4.5L14.5 8"/>'),
  reset: icon('<path d="M4.5 10a5.5 5.5 0 1 0 1.8-4.1"/><path d="M6.5 2.8v3.4h3.4"/>'),
  select: icon('<path d="M5 3.5 15.5 9l-4.6 1.4L8.6 15z"/>'),
  warning: icon('<path d="M10 3.5 17.5 16h-15z"/><path d="M10 8.5v3.5M10 14v.1"/>'),
  formula: icon(
    '<path d="M9.5 4.5C7.5 4 7 5.5 6.8 7L5.6 14c-.2 1.5-1 2.2-2.4 1.8"/><path d="M4.5 8.5h4.5"/><path d="m10.5 9 5 6M15.5 9l-5 6"/>',
  ),
  brush: icon(
    '<path d="M16.5 3.5 9 11"/><path d="M7.5 11.5c-2 0-2.5 1.5-2.7 3-.1.8-.8 1.3-1.6 1.5 3 1 6.3.5 6.3-2.5 0-1-.9-2-2-2z"/>',
  ),
  export: icon(
    '<path d="M10 12.5V3.5"/><path d="M6.5 6.5 10 3l3.5 3.5"/><path d="M4 11v4a1.5 1.5 0 0 0 1.5 1.5h9A1.5 1.5 0 0 0 16 15v-4"/>',
  ),
} as const;

export type IconName = keyof typeof ICONS;
