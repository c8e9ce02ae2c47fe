// Preferences for the window. They are stored in the browser and are not part of the document.

const PREFIX = 'limber-studio.';

export function readPreference<T>(name: string, fallback: T): T {
  try {
    const text = localStorage.getItem(PREFIX + name);
    return text === null ? fallback : (JSON.parse(text) as T);
  } catch {
    return fallback;
  }
}

export function writePreference(name: string, value: unknown): void {
  try {
    localStorage.setItem(PREFIX + name, JSON.stringify(value));
  } catch {
    // storage can be unavailable in private windows; then preferences are not kept
  }
}
