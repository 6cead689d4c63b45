import type { Outcome } from '../../../platform/http/exchange.ts'
import type { HttpHandler, HttpRequest } from '../../../platform/http/message.ts'
import type { Database } from '../../../platform/state/database.ts'
import type { Drive } from '../../../storage/drives/drive.ts'

/** OpenTelemetry traces of one process (docs/tracing.md). */
export interface Tracing {
  /** The handler with a server span for each request. */
  handler(handler: HttpHandler): HttpHandler
  /** Ends the span of a request. */
  readonly onFinish: (request: HttpRequest, outcome: Outcome) => void
  /** The drive with a span for each call within a request. @param name '' for the default drive */
  drive(drive: Drive, name?: string): Drive
  /** The database with a span for each call within a request. */
  database(database: Database): Database
  /** Sends the last spans, within a few seconds, and stops. */
  close(): Promise<void>
}
