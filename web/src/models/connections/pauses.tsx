import { Alert, Button, Group, Text } from '@mantine/core'
import { IconKeyOff } from '@tabler/icons-react'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from 'wouter'
import type { ConnectionAnswer } from '../../../../src/models/routing/routing-schemas.ts'
import type { PausesReply } from '../../../../src/models/usage/usage-routes.ts'
import { request } from '../../api/client.ts'
import { Age } from '../../ui/age.tsx'
import { failureOf } from '../../ui/messages.ts'
import { routingPath, useRouting } from '../routing-queries.ts'
import { connectionName } from './connection-text.ts'

export type Pause = PausesReply['pauses'][number]

const path = `${routingPath}/pauses`
const queryKey = ['pauses']
const refreshMs = 10_000
/** Maximum lines for one connection. */
const maxLines = 5

export function usePauses() {
  return useQuery({
    queryKey,
    queryFn: ({ signal }) => request<PausesReply>(path, { signal }),
    refetchInterval: refreshMs,
  })
}

/** Whether the key of a connection is refused, or its account. */
function isRefused({ scope, status }: Pause): boolean {
  return scope === 'connection' && [401, 402, 403].includes(status)
}

interface PauseLinesProps {
  readonly connection: ConnectionAnswer
  readonly pauses: readonly Pause[]
}

/** The models of a connection that are paused, and why. */
export function PauseLines({ connection, pauses }: PauseLinesProps) {
  const name = connectionName(connection)
  const queries = useQueryClient()
  const { mutate, isPending } = useMutation({
    mutationFn: () => request(`${path}/${encodeURIComponent(connection.id)}`, { method: 'DELETE' }),
    onError: failureOf(`${name} could not be changed`),
    onSettled: () => queries.invalidateQueries({ queryKey }),
  })
  if (pauses.length === 0) return null
  const isOut = pauses.some(isRefused)
  return (
    <Alert
      color={isOut ? 'red' : 'orange'}
      title={isOut ? 'The key is refused' : 'Paused after failures'}
      p="xs"
    >
      {pauses.slice(0, maxLines).map((pause) => (
        <Text key={`${pause.model} ${pause.path}`} size="sm">
          <b>{pause.model ?? 'All models'}</b> {pause.path !== null && `on ${pause.path} `}
          (status {pause.status}): {pause.reason}{' '}
          {Date.parse(pause.until) > Date.now() ? (
            <>
              Retried <Age at={pause.until} />.
            </>
          ) : (
            'The next call tries again.'
          )}
        </Text>
      ))}
      {pauses.length > maxLines && <Text size="sm">… and {pauses.length - maxLines} more.</Text>}
      <Group mt={6} gap="sm">
        <Button
          size="compact-sm"
          variant="default"
          loading={isPending}
          aria-label={`Try again now: ${name}`}
          onClick={() => mutate()}
        >
          Try again now
        </Button>
        <Text size="xs">Each process of the service keeps its own pauses.</Text>
      </Group>
    </Alert>
  )
}

/** A warning on every tab: nothing else shows that an account is refused. */
export function RefusedKeys() {
  const refused = usePauses().data?.pauses.filter(isRefused) ?? []
  const connections = useRouting().data?.connections ?? []
  const names = connections
    .filter(({ id }) => refused.some(({ connectionId }) => connectionId === id))
    .map(connectionName)
  if (names.length === 0) return null
  return (
    <Alert color="red" role="alert" mb="md" icon={<IconKeyOff size={18} />}>
      The upstream refuses the key of {names.join(', ')}. Calls go to other connections, if there
      are any. <Link href="/models/connections">Enter another key.</Link>
    </Alert>
  )
}
