/** The part of pino that the management uses. */
export interface ManagementLog {
  warn(fields: object, message: string): void
}
