import type {
  ConnectionAnswer,
  RoutingAnswer,
} from '../../../../src/models/routing/routing-schemas.ts'

/** A file that somebody chose, as `POST /import` takes it. */
export interface ImportFile {
  readonly source: '9router' | 'bucketry'
  readonly body: object
}

/** What the API takes at most, bytes. */
export const maxFileBytes = 8 * 1024 * 1024

/**
 * Reads a file of 9router, which is sent as it is, or an export of our own, which is put into the
 * same form.
 *
 * @param state what is stored now: a mask in the file stands for a key only where it is the mask of
 * the same connection here. In another gateway keys have to be entered again.
 * @throws SyntaxError, for people, when it is neither.
 */
export function readImportFile(text: string, state: RoutingAnswer): ImportFile {
  const file = parse(text)
  if ('connections' in file && !('providerConnections' in file)) {
    return { source: 'bucketry', body: ownFile(file as Partial<RoutingAnswer>, state) }
  }
  return { source: '9router', body: file }
}

function parse(text: string): object {
  let file: unknown
  try {
    file = JSON.parse(text)
  } catch (error) {
    throw new SyntaxError('This file is not valid JSON.', { cause: error })
  }
  if (typeof file === 'object' && file !== null && !Array.isArray(file)) return file
  throw new SyntaxError('This file is not a 9router or Bucketry export.')
}

function ownFile(file: Partial<RoutingAnswer>, state: RoutingAnswer): object {
  const { connections, ...rest } = file
  if (!Array.isArray(connections)) {
    throw new SyntaxError('The connections in this file are not a list.')
  }
  const masks = new Map(state.connections.map(({ id, apiKey }) => [id, apiKey]))
  return {
    ...rest,
    providerConnections: connections.map((connection) => importedConnection(connection, masks)),
  }
}

function importedConnection(
  { apiKeyState: _, apiKey, createdAtMs, ...connection }: ConnectionAnswer,
  masks: ReadonlyMap<string, string | undefined>,
): object {
  const isKept = apiKey !== undefined && masks.get(connection.id) === apiKey
  return {
    ...connection,
    ...(isKept && { apiKey }),
    ...(createdAtMs !== undefined && { createdAt: new Date(createdAtMs).toISOString() }),
  }
}
