import { ApiError } from '../../platform/json-api/api-error.ts'

/** The model that a body names, and where. */
export interface ModelName {
  readonly name: string
  /** The bytes of the body that are replaced by another name. */
  readonly start: number
  readonly end: number
  /** Another name as the body has it. */
  readonly encode: (name: string) => string
}

/** Looks for the model in a body while it arrives. */
export interface ModelFinder {
  /** Takes the next bytes, in order. @throws ApiError 400 */
  take(bytes: Buffer): void
  /**
   * @param body all that was taken
   * @param isWhole whether that is all of it
   * @throws ApiError 400
   */
  find(body: Buffer, isWhole: boolean): ModelName
}

/** A body whose model cannot be told. */
export function unclearModel(message: string, options?: ErrorOptions): ApiError {
  return new ApiError(400, message, { ...options, field: 'model' })
}

/** The bytes of a body with another name, in pieces that share its memory. Everything else stays. */
export function withModelName(
  body: Buffer,
  { start, end, encode }: ModelName,
  name: string,
): readonly Buffer[] {
  return [body.subarray(0, start), Buffer.from(encode(name)), body.subarray(end)]
}
