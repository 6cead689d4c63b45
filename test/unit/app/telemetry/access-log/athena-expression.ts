/**
 * The expression that AWS documents for Athena ("Using Amazon S3 server access logs to identify
 * requests", `input.regex`), without the escapes of SQL.
 */
const athena =
  /^([^ ]*) ([^ ]*) \[(.*?)\] ([^ ]*) ([^ ]*) ([^ ]*) ([^ ]*) ([^ ]*) ("[^"]*"|-) (-|[0-9]*) ([^ ]*) ([^ ]*) ([^ ]*) ([^ ]*) ([^ ]*) ([^ ]*) ("[^"]*"|-) ([^ ]*)(?: ([^ ]*) ([^ ]*) ([^ ]*) ([^ ]*) ([^ ]*) ([^ ]*) ([^ ]*) ([^ ]*))?.*$/

/** AWS's names of the columns. */
const columns = [
  'bucketowner',
  'bucket_name',
  'requestdatetime',
  'remoteip',
  'requester',
  'requestid',
  'operation',
  'key',
  'request_uri',
  'httpstatus',
  'errorcode',
  'bytessent',
  'objectsize',
  'totaltime',
  'turnaroundtime',
  'referrer',
  'useragent',
  'versionid',
  'hostid',
  'sigv',
  'ciphersuite',
  'authtype',
  'endpoint',
  'tlsversion',
  'accesspointarn',
  'aclrequired',
] as const

export type AthenaRow = Readonly<Record<(typeof columns)[number], string>>

/** The row that Athena makes of a line; undefined if the line does not match. */
export function athenaRow(line: string): AthenaRow | undefined {
  const match = athena.exec(line)
  if (match === null) return undefined
  const values = columns.map((name, index) => [name, match[index + 1]])
  return Object.fromEntries(values) as AthenaRow
}
