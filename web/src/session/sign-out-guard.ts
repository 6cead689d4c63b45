/** Consulted before sign-out: whether it would cancel work. */
const guards = new Set<() => boolean>()

export function guardSignOut(isBusy: () => boolean): void {
  guards.add(isBusy)
}

export function wouldEndSomething(): boolean {
  return [...guards].some((isBusy) => isBusy())
}
