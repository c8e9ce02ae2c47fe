// Keeps a page for visits without a network. offline.mjs fills in its name, the version and the list of files.
const VERSION = '__VERSION__';
const FILES = ['__FILES__'];

// Other pages of this host may have caches, too.
const PREFIX = `limber-__NAME__ ${self.registration.scope} `;
const NAME = PREFIX + VERSION;

self.addEventListener('install', (event) => {
  const fresh = FILES.map((name) => new Request(name, { cache: 'reload' }));
  event.waitUntil(caches.open(NAME).then((cache) => cache.addAll(fresh)));
});

self.addEventListener('activate', (event) => {
  const drop = (names) =>
    names.filter((name) => name.startsWith(PREFIX) && name !== NAME).map((name) => caches.delete(name));
  event.waitUntil(
    caches
      .keys()
      .then((names) => Promise.all(drop(names)))
      .then(() => self.clients.claim()),
  );
});

self.addEventListener('fetch', (event) => {
  const { request } = event;
  if (request.method !== 'GET' || !request.url.startsWith(self.registration.scope)) return;
  const kept = caches.open(NAME).then((cache) => cache.match(request, { ignoreSearch: true }));
  event.respondWith(kept.then((found) => found ?? fetch(request)));
});
