// Finds tests that do not wait: node --import=PATH_OF_THIS_FILE --test NAME.test.mjs. Whatever a test does with mouse and
// keyboard happens somewhat later, in order, as on a busy machine; what it reads, it reads at once. Only those who wait
// for frames (`settle`) wait for it.
import { chromium } from 'playwright-core';

const LATE_MS = 80;
const ACTIONS = ['check', 'click', 'down', 'hover', 'move', 'press', 'tap', 'type', 'uncheck', 'up', 'wheel'];
let queue = Promise.resolve();
let acting = false; // an action may use others

function delay(object) {
  const prototype = Object.getPrototypeOf(object);
  for (const name of ACTIONS.filter((one) => one in prototype)) {
    const act = prototype[name];
    prototype[name] = function (...args) {
      if (acting) return act.apply(this, args);
      queue = queue
        .then(() => new Promise((later) => setTimeout(later, LATE_MS)))
        .then(() => {
          acting = true;
          const done = act.apply(this, args);
          acting = false;
          return done;
        });
      return Promise.resolve();
    };
  }
}

const launch = chromium.launch.bind(chromium);
chromium.launch = async (options) => {
  chromium.launch = launch;
  const browser = await launch(options);
  const page = await browser.newPage();
  for (const object of [page, page.locator('html'), page.keyboard, page.mouse, page.touchscreen]) delay(object);
  const pages = Object.getPrototypeOf(page);
  const { evaluate } = pages;
  pages.evaluate = async function (work, ...args) {
    if (/requestAnimationFrame/.test(work)) await queue;
    return evaluate.call(this, work, ...args);
  };
  await page.close();
  const { close } = browser;
  browser.close = async () => {
    await queue.catch(() => undefined); // of a page that is closed already
    return close.call(browser);
  };
  return browser;
};
