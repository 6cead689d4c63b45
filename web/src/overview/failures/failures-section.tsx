import { Button, Text, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconSearch } from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { FailureStatus } from '../../../../src/console/management/replies.ts'
import { request } from '../../api/client.ts'
import { FailureNotice } from '../../ui/failure-notice.tsx'
import { LoadingLines } from '../../ui/loading-lines.tsx'
import { failureOf } from '../../ui/messages.ts'
import { RowList } from '../../ui/row-list.tsx'
import { Section } from '../../ui/section.tsx'
import { useFailures } from '../overview-queries.ts'
import { matchingFailures } from './failure-filter.ts'
import { FailureRow } from './failure-row.tsx'

const shownAtFirst = 5

export function FailuresSection() {
  const { data, error, refetch } = useFailures()
  const hasSome = data !== undefined && data.failures.length > 0
  return (
    <Section title="Recent failed requests" actions={hasSome && <ClearButton />}>
      {data !== undefined && <Failures failures={data.failures} />}
      {data === undefined && error === null && <LoadingLines />}
      {data === undefined && error !== null && (
        <FailureNotice
          title="The failed requests could not be loaded"
          error={error}
          onRetry={() => void refetch()}
        />
      )}
    </Section>
  )
}

function ClearButton() {
  const queries = useQueryClient()
  const { mutate, isPending } = useMutation({
    mutationFn: () => request('/-/api/failures', { method: 'DELETE' }),
    onError: failureOf('The list could not be cleared'),
    onSettled: () => queries.invalidateQueries({ queryKey: ['failures'] }),
  })
  return (
    <Button size="compact-xs" variant="default" loading={isPending} onClick={() => mutate()}>
      Clear
    </Button>
  )
}

function Failures({ failures }: { readonly failures: readonly FailureStatus[] }) {
  const [isWhole, { toggle }] = useDisclosure(false)
  const [filter, setFilter] = useState('')
  if (failures.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        None. When a request fails, the reason appears here.
      </Text>
    )
  }
  const matching = matchingFailures(failures, filter)
  return (
    <>
      <TextInput
        size="xs"
        mb="xs"
        aria-label="Filter failed requests"
        placeholder="Filter by bucket, key, status, address…"
        leftSection={<IconSearch size={14} />}
        value={filter}
        onChange={(event) => setFilter(event.currentTarget.value)}
      />
      {matching.length === 0 && (
        <Text size="sm" c="dimmed" role="status">
          No failed requests match the filter.
        </Text>
      )}
      <RowList>
        {matching.slice(0, isWhole ? undefined : shownAtFirst).map((failure) => (
          <FailureRow key={failure.requestId} failure={failure} />
        ))}
      </RowList>
      {matching.length > shownAtFirst && (
        <Button variant="default" size="xs" mt="sm" onClick={toggle} aria-expanded={isWhole}>
          {isWhole ? 'Show fewer' : `Show all ${matching.length}`}
        </Button>
      )}
    </>
  )
}
