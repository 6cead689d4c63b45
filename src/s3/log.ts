/** The part of pino that S3 uses. */
export interface S3Log {
  debug(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

/** The log of the request handler. */
export interface S3RequestLog extends S3Log {
  /** Whether debug lines are written. If not, their texts are not built. */
  isLevelEnabled(level: 'debug'): boolean
}
