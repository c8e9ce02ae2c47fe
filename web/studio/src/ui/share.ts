// Copies a link that opens the studio with the current style.
import type { App } from '../app';
import { linkOf } from '../core/share';
import { copyText } from './copy';

export async function copyStyleLink(app: App): Promise<void> {
  const link = await linkOf(app.store.current.style, window.location.href);
  const { hostname } = window.location;
  const local = hostname === '127.0.0.1' || hostname === 'localhost';
  await copyText(
    link,
    'Link copied',
    local
      ? 'It opens here while this studio runs. In any other studio, paste it into the window.'
      : 'The style is in the link itself; nothing was uploaded.',
  );
}
