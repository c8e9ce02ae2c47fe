// Colors around a character, by its hue and the theme.
import { theme } from '../../studio/src/ui/theme';

export interface Colors {
  plain: string;
  styled: string;
  shadow: number;
}

export function colorsOf({ hue }: { hue: number }): Colors {
  return theme.value === 'light'
    ? { plain: '#efe8dd', styled: `hsl(${hue}, 62%, 84%)`, shadow: 0.2 }
    : { plain: '#262320', styled: `hsl(${hue}, 42%, 32%)`, shadow: 0.4 };
}
