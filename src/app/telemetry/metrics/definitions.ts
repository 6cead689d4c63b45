export interface MetricDefinition {
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly help: string
  readonly labels: readonly string[]
  /** How the values of several processes are aggregated. Default: their sum. */
  readonly combine?: 'max'
}

/**
 * Every metric, in the order of docs/metrics.md (a test compares the two). Names follow Prometheus's
 * "Metric and label naming". Label values come from fixed lists, never from buckets, keys or clients.
 */
export const metricDefinitions = {
  bucketry_requests_total: {
    type: 'counter',
    help: 'Finished requests, by operation and class of the status.',
    labels: ['operation', 'status'],
  },
  bucketry_request_errors_total: {
    type: 'counter',
    help: 'Requests that failed, by operation and S3 error code.',
    labels: ['operation', 'code'],
  },
  bucketry_request_duration_seconds: {
    type: 'histogram',
    help: 'Time from the head of a request to the last byte of its reply.',
    labels: ['operation'],
  },
  bucketry_request_received_bytes_total: {
    type: 'counter',
    help: 'Bytes received for requests, including their heads.',
    labels: ['operation'],
  },
  bucketry_request_sent_bytes_total: {
    type: 'counter',
    help: 'Bytes of reply bodies.',
    labels: ['operation'],
  },
  bucketry_requests_aborted_total: {
    type: 'counter',
    help: 'Requests whose client disconnected before the reply was complete.',
    labels: ['operation'],
  },
  bucketry_invalid_requests_total: {
    type: 'counter',
    help: 'Requests that were refused because they are not valid HTTP.',
    labels: ['fault'],
  },
  bucketry_connections_over_limit_total: {
    type: 'counter',
    help: 'Connections for which no slot was free.',
    labels: [],
  },
  bucketry_drive_calls_total: {
    type: 'counter',
    help: 'Drive calls, by outcome: ok, a kind of drive error, or other.',
    labels: ['drive', 'call', 'outcome'],
  },
  bucketry_drive_retries_total: {
    type: 'counter',
    help: "Retried requests to the drive's server, by reason.",
    labels: ['drive', 'reason'],
  },
  bucketry_drive_up: {
    type: 'gauge',
    help: 'Whether the drive responds: 1 or 0.',
    labels: ['drive'],
  },
  bucketry_drive_free_bytes: {
    type: 'gauge',
    help: 'Free space of a local drive.',
    labels: ['drive'],
  },
  bucketry_drive_size_bytes: {
    type: 'gauge',
    help: 'Total space of a local drive.',
    labels: ['drive'],
  },
  bucketry_open_uploads: {
    type: 'gauge',
    help: 'Multipart uploads that are neither complete nor aborted, in the database.',
    labels: [],
  },
  bucketry_held_parts: {
    type: 'gauge',
    help: 'Parts that arrived before their turn and are waiting for it.',
    labels: [],
  },
  bucketry_events_total: {
    type: 'counter',
    help: 'Event notifications: sent, failed attempts to send, and changes whose events were lost because too many were waiting.',
    labels: ['result'],
  },
  bucketry_events: {
    type: 'gauge',
    help: 'Event notifications in the database, by state: waiting to be sent, and dead because no target accepted them.',
    labels: ['state'],
  },
  bucketry_refused_parts_total: {
    type: 'counter',
    help: 'Parts that arrived before their turn and were rejected with SlowDown, by reason.',
    labels: ['reason'],
  },
  bucketry_model_attempts_total: {
    type: 'counter',
    help: 'Model calls sent to an upstream, by path and outcome: ok, broken, or the part that failed.',
    labels: ['path', 'outcome'],
  },
  bucketry_model_fallbacks_total: {
    type: 'counter',
    help: 'Failed attempts that were followed by another attempt.',
    labels: [],
  },
  bucketry_model_tokens_total: {
    type: 'counter',
    help: 'Tokens of model calls, as reported by upstreams.',
    labels: ['direction'],
  },
  bucketry_model_first_byte_seconds: {
    type: 'histogram',
    help: "Time to the first byte of an upstream's answer.",
    labels: [],
  },
  bucketry_cache_hits_total: {
    type: 'counter',
    help: 'Lookups that a cache of the drive answered.',
    labels: ['drive', 'cache'],
  },
  bucketry_cache_misses_total: {
    type: 'counter',
    help: 'Lookups that a cache of the drive did not answer.',
    labels: ['drive', 'cache'],
  },
  bucketry_database_call_duration_seconds: {
    type: 'histogram',
    help: 'Duration of database calls, by engine.',
    labels: ['engine', 'call'],
  },
  bucketry_database_errors_total: {
    type: 'counter',
    help: 'Failed database calls, by engine.',
    labels: ['engine', 'call'],
  },
  bucketry_queue_length: {
    type: 'gauge',
    help: 'Calls that are waiting for a thread, a connection or a commit.',
    labels: ['queue'],
  },
  bucketry_event_loop_delay_seconds: {
    type: 'histogram',
    help: 'How late a timer of 100 ms fired.',
    labels: [],
  },
  bucketry_event_loop_busy_seconds_total: {
    type: 'counter',
    help: 'Time that event loops were busy.',
    labels: [],
  },
  bucketry_background_failures_total: {
    type: 'counter',
    help: 'Failures of background work, by kind.',
    labels: ['work'],
  },
  bucketry_process_cpu_seconds_total: {
    type: 'counter',
    help: 'User and system CPU time, including threads.',
    labels: [],
  },
  bucketry_process_resident_memory_bytes: {
    type: 'gauge',
    help: 'Resident memory of all processes. Pages that they share count several times.',
    labels: [],
  },
  bucketry_process_heap_bytes: {
    type: 'gauge',
    help: "Used memory in V8's heaps.",
    labels: [],
  },
  bucketry_process_open_files: {
    type: 'gauge',
    help: 'Open files and connections of the process that has the most. Linux only.',
    labels: [],
    combine: 'max',
  },
  bucketry_process_max_open_files: {
    type: 'gauge',
    help: 'Limit of open files of each process.',
    labels: [],
    combine: 'max',
  },
  bucketry_process_start_time_seconds: {
    type: 'gauge',
    help: 'When the main process started, in seconds since the epoch.',
    labels: [],
  },
  bucketry_workers: {
    type: 'gauge',
    help: 'Processes that serve requests.',
    labels: [],
  },
  bucketry_workers_silent: {
    type: 'gauge',
    help: 'Workers that did not answer this scrape in time. Their last known values are used.',
    labels: [],
  },
  bucketry_worker_deaths_total: {
    type: 'counter',
    help: 'Workers that ended unexpectedly and were replaced.',
    labels: [],
  },
  bucketry_build_info: {
    type: 'gauge',
    help: 'Constant 1, with the versions of Bucketry and Node.',
    labels: ['version', 'node'],
    combine: 'max',
  },
} as const satisfies Record<string, MetricDefinition>

export type MetricName = keyof typeof metricDefinitions
