import { Button, Text, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconSearch } from '@tabler/icons-react'
import { useState } from 'react'
import type { FailureStatus } from '../../../../src/console/management/replies.ts'
import { useFailures } from '../../api/service-queries.ts'
import { hasWords } from '../../ui/has-words.ts'
import { Loaded } from '../../ui/loaded.tsx'
import { RowList } from '../../ui/row-list.tsx'
import { Section } from '../../ui/section.tsx'
import { useAction } from '../../ui/use-action.ts'
import { FailureRow } from './failure-row.tsx'
import { failureText } from './failure-target.ts'

const shownAtFirst = 5

export function FailuresSection() {
  const query = useFailures()
  const hasSome = query.data !== undefined && query.data.failures.length > 0
  return (
    <Section title="Recent failed requests" actions={hasSome && <ClearButton />}>
      <Loaded query={query} failure="The failed requests could not be loaded">
        {({ failures }) => <Failures failures={failures} />}
      </Loaded>
    </Section>
  )
}

function ClearButton() {
  const { mutate, isPending } = useAction({
    method: 'DELETE',
    path: '/-/api/failures',
    failure: 'The list could not be cleared',
    refreshes: 'failures',
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
  const matching = failures.filter((failure) => hasWords(failureText(failure), filter))
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
