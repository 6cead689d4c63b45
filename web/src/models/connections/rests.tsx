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

export type Rest = PausesReply['rests'][number]

const path = `${routingPath}/rests`
const queryKey = ['rests']
const refreshMs = 10_000
/** Maximum lines for one connection. */
const maxLines = 5

export function useRests() {
  return useQuery({
    queryKey,
    queryFn: ({ signal }) => request<PausesReply>(path, { signal }),
    refetchInterval: refreshMs,
  })
}

/** Whether the key of a connection is refused, or its account. */
function isRefused({ scope, status }: Rest): boolean {
  return scope === 'connection' && [401, 402, 403].includes(status)
}

interface RestLinesProps {
  readonly connection: ConnectionAnswer
  readonly rests: readonly Rest[]
}

/** The models of a connection that are paused, and why. */
export function RestLines({ connection, rests }: RestLinesProps) {
  const name = connectionName(connection)
  const queries = useQueryClient()
  const { mutate, isPending } = useMutation({
    mutationFn: () => request(`${path}/${encodeURIComponent(connection.id)}`, { method: 'DELETE' }),
    onError: failureOf(`${name} could not be changed`),
    onSettled: () => queries.invalidateQueries({ queryKey }),
  })
  if (rests.length === 0) return null
  const isOut = rests.some(isRefused)
  return (
    <Alert
      color={isOut ? 'red' : 'orange'}
      title={isOut ? 'The key is refused' : 'Paused after failures'}
      p="xs"
    >
      {rests.slice(0, maxLines).map((rest) => (
        <Text key={`${rest.model} ${rest.path}`} size="sm">
          <b>{rest.model ?? 'All models'}</b> {rest.path !== null && `on ${rest.path} `}
          (status {rest.status}): {rest.reason}{' '}
          {Date.parse(rest.until) > Date.now() ? (
            <>
              Retried <Age at={rest.until} />.
            </>
          ) : (
            'The next call tries again.'
          )}
        </Text>
      ))}
      {rests.length > maxLines && <Text size="sm">… and {rests.length - maxLines} more.</Text>}
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
  const refused = useRests().data?.rests.filter(isRefused) ?? []
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
