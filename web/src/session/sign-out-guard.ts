/** Consulted before sign-out: whether it would cancel work. */
let guard = () => false

export function guardSignOut(isBusy: () => boolean): void {
  guard = isBusy
}

export function wouldEndSomething(): boolean {
  return guard()
}
