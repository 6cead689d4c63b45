/** The log of a drive; fields first, as pino has it. */
export interface DriveLog {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
}
