import { Button, Checkbox, Text } from '@mantine/core'
import { IconListDetails } from '@tabler/icons-react'
import { useInfiniteQuery } from '@tanstack/react-query'
import type { CallsReply } from '../../../../src/models/usage/call-log.ts'
import { request } from '../../api/client.ts'
import { formatCount } from '../../format/bytes.ts'
import { formatDollars } from '../../format/money.ts'
import { formatMilliseconds } from '../../format/time.ts'
import { modelsTexts } from '../../texts/models.ts'
import { Age } from '../../ui/age.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Section } from '../../ui/section.tsx'
import { NextStep } from '../next-step.tsx'
import classes from '../usage/usage.module.css'
import { type UsageNames, useUsageNames } from '../usage/use-usage-names.ts'
import { useAddressParams } from '../use-address-params.ts'

type LoggedCall = CallsReply['calls'][number]

const refreshMs = 10_000

function useCalls() {
  return useInfiniteQuery({
    queryKey: ['calls'],
    queryFn: ({ pageParam: after, signal }) => {
      const query = { limit: '100', ...(after !== '' && { after }) }
      return request<CallsReply>('/-/api/calls', { query, signal })
    },
    initialPageParam: '',
    getNextPageParam: ({ next }) => next,
    refetchInterval: refreshMs,
  })
}

/** The latest calls one by one, and why they failed. */
export function CallLogPanel() {
  const [params, set] = useAddressParams()
  const onlyFailed = params.get('failed') !== null
  const query = useCalls()
  const nameOf = useUsageNames()
  return (
    <Section
      title={modelsTexts.log.title}
      actions={
        <Checkbox
          size="xs"
          label={modelsTexts.log.onlyFailed}
          checked={onlyFailed}
          onChange={({ currentTarget }) => set('failed', currentTarget.checked ? 'yes' : '')}
        />
      }
    >
      <Text size="sm" c="dimmed" mb="md" maw={720}>
        {modelsTexts.log.text}
      </Text>
      <Loaded query={query} failure={modelsTexts.log.failure} lines={8}>
        {({ pages }) => {
          const calls = pages.flatMap((page) => page.calls)
          if (calls.length === 0) return <NoCalls />
          const shown = onlyFailed ? calls.filter(isNotable) : calls
          return <CallTable calls={shown} nameOf={nameOf} />
        }}
      </Loaded>
      {query.hasNextPage && (
        <Button
          {...{ variant: 'default', size: 'xs', mt: 'sm', loading: query.isFetchingNextPage }}
          onClick={() => void query.fetchNextPage()}
        >
          {modelsTexts.log.older}
        </Button>
      )}
    </Section>
  )
}

function isNotable({ reason, attempts }: LoggedCall): boolean {
  return reason !== null || attempts.length > 1
}

const heads = [
  modelsTexts.log.heads.call,
  modelsTexts.log.heads.key,
  modelsTexts.log.heads.attempts,
  modelsTexts.log.heads.status,
  modelsTexts.log.heads.firstByte,
  modelsTexts.log.heads.tokens,
  modelsTexts.log.heads.cost,
] as const

interface CallTableProps {
  readonly calls: readonly LoggedCall[]
  readonly nameOf: UsageNames
}

function CallTable({ calls, nameOf }: CallTableProps) {
  if (calls.length === 0) return <Text size="sm">{modelsTexts.log.noneFailed}</Text>
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrolling regions must be reachable by keyboard
    <section className={classes.sums} aria-label={modelsTexts.log.table} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {heads.map((head) => (
              <th key={head} scope="col">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {calls.map((call) => (
            <CallRow key={call.id} call={call} nameOf={nameOf} />
          ))}
        </tbody>
      </table>
    </section>
  )
}

function CallRow({ call, nameOf }: { readonly call: LoggedCall; readonly nameOf: UsageNames }) {
  const { model, path, at, keyId, attempts, status, reason } = call
  const answered = attempts.find((attempt) => attempt.reason === null)
  return (
    <tr>
      <th scope="row">
        <b>{model === '' ? path : model}</b>
        <Text size="xs" c="dimmed" component="div">
          {path}, <Age at={at} />
        </Text>
        {reason !== null && (
          <Text size="xs" c="red" component="div">
            {reason}
          </Text>
        )}
      </th>
      <td>{nameOf('keyId', keyId)}</td>
      <td>
        <ol>
          {Array.from(attempts.entries(), ([index, { connectionId, reason: failure, status }]) => (
            <li key={index}>
              {nameOf('connectionId', connectionId)}
              {failure !== null && `: ${status}, ${failure}`}
            </li>
          ))}
        </ol>
      </td>
      <td>{status}</td>
      <td>{answered === undefined ? '–' : formatMilliseconds(answered.ms)}</td>
      <td>
        {modelsTexts.log.tokens(formatCount(call.inputTokens), formatCount(call.outputTokens))}
      </td>
      <td>{formatDollars(call.dollars)}</td>
    </tr>
  )
}

function NoCalls() {
  return (
    <EmptyState icon={<IconListDetails size={32} stroke={1.5} />} title={modelsTexts.log.none}>
      <NextStep />
    </EmptyState>
  )
}
