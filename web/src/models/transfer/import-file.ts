import type {
  ConnectionAnswer,
  RoutingAnswer,
} from '../../../../src/models/routing/routing-schemas.ts'
import { modelsTexts } from '../../texts/models.ts'

/** The limit of the API, bytes. */
export const maxFileBytes = 8 * 1024 * 1024

/**
 * Returns the body of `POST /import` for a 9router file, which is sent unchanged, or for a Bucketry
 * export, which is converted to the same form.
 *
 * @param state the stored state: a mask in the file stands for a key only if the same connection
 * has this mask here. On another gateway, keys have to be entered again.
 * @throws SyntaxError with a message to show if it is neither.
 */
export function readImportFile(text: string, state: RoutingAnswer): object {
  const file = parse(text)
  if ('connections' in file && !('providerConnections' in file)) {
    return ownFile(file as Partial<RoutingAnswer>, state)
  }
  return file
}

function parse(text: string): object {
  let file: unknown
  try {
    file = JSON.parse(text)
  } catch (error) {
    throw new SyntaxError(modelsTexts.transfer.noJson, { cause: error })
  }
  if (typeof file === 'object' && file !== null && !Array.isArray(file)) return file
  throw new SyntaxError(modelsTexts.transfer.noExport)
}

function ownFile(file: Partial<RoutingAnswer>, state: RoutingAnswer): object {
  const { connections, ...rest } = file
  if (!Array.isArray(connections)) {
    throw new SyntaxError(modelsTexts.transfer.noList)
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
