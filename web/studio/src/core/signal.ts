// Values and events with listeners.

export type Stop = () => void;

/** A value with listeners. Setting the same value again does nothing. */
export class Signal<T> {
  private readonly listeners = new Set<(value: T, before: T) => void>();

  constructor(private current: T) {}

  get value(): T {
    return this.current;
  }

  set value(next: T) {
    if (Object.is(next, this.current)) return;
    const before = this.current;
    this.current = next;
    for (const listener of [...this.listeners]) listener(next, before);
  }

  /** Calls back as if it had changed. */
  tell(): void {
    for (const listener of [...this.listeners]) listener(this.current, this.current);
  }

  /** Calls back on every change. */
  listen(listener: (value: T, before: T) => void): Stop {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Calls back now and on every change. */
  watch(listener: (value: T) => void): Stop {
    listener(this.current);
    return this.listen(listener);
  }
}

/** An event. */
export class Emitter<T = void> {
  private readonly listeners = new Set<(value: T) => void>();

  emit(value: T): void {
    for (const listener of [...this.listeners]) listener(value);
  }

  listen(listener: (value: T) => void): Stop {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }
}
