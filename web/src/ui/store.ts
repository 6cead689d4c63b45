/** State outside of components, with the two functions that useSyncExternalStore needs. */
export class Store<State> {
  readonly #listeners = new Set<() => void>()
  #state: State

  constructor(state: State) {
    this.#state = state
  }

  readonly snapshot = (): State => this.#state

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Replaces the state and notifies the listeners. */
  protected publish(state: State): void {
    this.#state = state
    for (const listener of this.#listeners) listener()
  }
}
