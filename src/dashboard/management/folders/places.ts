import { ApiError } from '../../../platform/json-api/api-error.ts'
import { Limiter } from '../../../platform/process/limiter.ts'

/** Bounds how many replies that take long a process sends at a time. */
export class Places {
  readonly #message: string
  readonly #limiter: Limiter

  /** @param message of the refusal when no place is free */
  constructor(places: number, message: string) {
    this.#limiter = new Limiter(places)
    this.#message = message
  }

  /** Returns what ends it, which may be called again. @throws ApiError 503 */
  enter(): () => void {
    const leave = this.#limiter.enterNow()
    if (leave === undefined) throw new ApiError(503, this.#message)
    return leave
  }
}
