interface Held {
  /** What the first field of the dialog gets in place of what is selected in it; undefined: nothing was typed. */
  readonly text: string | undefined
  /** Whether Enter was pressed after that. */
  readonly isEntered: boolean
}

const nothing: Held = { text: undefined, isEntered: false }

/** What is typed while a dialog is loading, for the first field of that dialog. */
export class HeldText {
  #held = nothing

  begin(): void {
    this.#held = nothing
  }

  /** @param key the name of the key that was pressed */
  press(key: string): void {
    const { text, isEntered } = this.#held
    if (isEntered) return
    if (key === 'Enter') this.#held = { text, isEntered: true }
    else if (key === 'Backspace') this.#held = { text: withoutLast(text ?? ''), isEntered }
    // Names of other keys are longer.
    else if (Array.from(key).length === 1) this.#held = { text: (text ?? '') + key, isEntered }
  }

  /** The dialog is mounted in this task. What no field of it takes is not meant for the next dialog. */
  end(): void {
    setTimeout(() => this.take())
  }

  take(): Held {
    const held = this.#held
    this.#held = nothing
    return held
  }
}

function withoutLast(text: string): string {
  return Array.from(text).slice(0, -1).join('')
}
