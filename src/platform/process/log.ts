/** A log, as pino writes it: fields first. */
export interface Log {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

/** A log that tells whether it writes debug lines, so that their texts are built only if it does. */
export interface LeveledLog extends Log {
  isLevelEnabled(level: 'debug' | 'info'): boolean
}
