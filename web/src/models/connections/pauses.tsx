import { Alert, Button, Group, Text } from '@mantine/core'
import { IconKeyOff } from '@tabler/icons-react'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from 'wouter'
import type { ConnectionAnswer } from '../../../../src/models/routing/routing-schemas.ts'
import type { PausesReply } from '../../../../src/models/usage/usage-routes.ts'
import { request } from '../../api/client.ts'
import { modelsTexts } from '../../texts/models.ts'
import { Rich } from '../../texts/rich.tsx'
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
    onError: failureOf(modelsTexts.connection.changeFailure(name)),
    onSettled: () => queries.invalidateQueries({ queryKey }),
  })
  if (pauses.length === 0) return null
  const isOut = pauses.some(isRefused)
  return (
    <Alert
      color={isOut ? 'red' : 'orange'}
      title={isOut ? modelsTexts.pauses.refused : modelsTexts.pauses.paused}
      p="xs"
    >
      {pauses.slice(0, maxLines).map((pause) => (
        <Text key={`${pause.model} ${pause.path}`} size="sm">
          <b>{pause.model ?? modelsTexts.pauses.allModels}</b>{' '}
          {pause.path !== null && `${modelsTexts.pauses.on(pause.path)} `}
          {modelsTexts.pauses.reason(pause.status, pause.reason)}{' '}
          {Date.parse(pause.until) > Date.now() ? (
            <Rich
              text={modelsTexts.pauses.retried}
              marks={{ age: () => <Age at={pause.until} /> }}
            />
          ) : (
            modelsTexts.pauses.nextCall
          )}
        </Text>
      ))}
      {pauses.length > maxLines && (
        <Text size="sm">{modelsTexts.pauses.more(pauses.length - maxLines)}</Text>
      )}
      <Group mt={6} gap="sm">
        <Button
          size="compact-sm"
          variant="default"
          loading={isPending}
          aria-label={modelsTexts.pauses.tryNowOf(name)}
          onClick={() => mutate()}
        >
          {modelsTexts.pauses.tryNow}
        </Button>
        <Text size="xs">{modelsTexts.pauses.perProcess}</Text>
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
      <Rich
        text={modelsTexts.pauses.refusedBy(names.join(', '))}
        marks={{ link: (words) => <Link href="/models/connections">{words}</Link> }}
      />
    </Alert>
  )
}
