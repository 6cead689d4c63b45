/** The part of pino that the management uses. */
export interface ManagementLog {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}
