import { ApiError } from '../../json-api/api-error.ts'

/** Bounds how many replies that take long a process sends at a time. */
export class Places {
  readonly #message: string
  #free: number

  /** @param message of the refusal when no place is free */
  constructor(places: number, message: string) {
    this.#free = places
    this.#message = message
  }

  /** Returns what ends it, which may be called again. @throws ApiError 503 */
  enter(): () => void {
    if (this.#free === 0) throw new ApiError(503, this.#message)
    this.#free -= 1
    let isIn = true
    return () => {
      if (isIn) this.#free += 1
      isIn = false
    }
  }
}
