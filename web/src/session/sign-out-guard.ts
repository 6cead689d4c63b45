/** Asked before somebody signs out: whether that would end something. */
const guards = new Set<() => boolean>()

export function guardSignOut(isBusy: () => boolean): void {
  guards.add(isBusy)
}

export function wouldEndSomething(): boolean {
  return [...guards].some((isBusy) => isBusy())
}
