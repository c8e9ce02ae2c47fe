// Where the studio and the posters are. A page that is not the gallery itself says so in its <html>.
const { studio, gallery, worker } = document.documentElement.dataset;

export const STUDIO = studio ?? './studio/';
export const POSTERS = `${gallery ?? './'}posters/`;
/** The service worker that keeps this page. */
export const WORKER = worker ?? './sw.js';
