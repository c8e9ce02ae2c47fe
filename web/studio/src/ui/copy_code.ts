// Copies what is shown as code: three.js, C, the command line, or the style itself.
import type { App } from '../app';
import { cCode, commandCode, threeCode } from '../core/code';
import type { Shown } from '../core/code';
import { copyText } from './copy';
import type { MenuItem } from './widgets';

const CODES: readonly { text: string; made(shown: Shown): string }[] = [
  { text: 'three.js', made: threeCode },
  { text: 'C', made: cCode },
  { text: 'Command', made: commandCode },
  { text: 'Style as JSON', made: ({ style }) => `${JSON.stringify(style, null, 2)}\n` },
];

export function codeMenu(app: App): MenuItem[] {
  return CODES.map(({ text, made }) => ({
    text,
    run: () => {
      const { file, clip, style } = app.store.current;
      const name = app.session.value?.clip(clip)?.name ?? '';
      void copyText(made({ file: file.name, clip: name, style }), `${text} copied`);
    },
  }));
}
