/** The log of a drive; fields first, as in pino. */
export interface DriveLog {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
}
