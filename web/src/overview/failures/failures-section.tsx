import { Button, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { FailureStatus } from '../../../../src/console/management/replies.ts'
import { FailureNotice } from '../../ui/failure-notice.tsx'
import { LoadingLines } from '../../ui/loading-lines.tsx'
import { RowList } from '../../ui/row-list.tsx'
import { Section } from '../../ui/section.tsx'
import { useFailures } from '../overview-queries.ts'
import { FailureRow } from './failure-row.tsx'

const shownAtFirst = 5

export function FailuresSection() {
  const { data, error, refetch } = useFailures()
  return (
    <Section title="Recent failed requests">
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

function Failures({ failures }: { readonly failures: readonly FailureStatus[] }) {
  const [isWhole, { toggle }] = useDisclosure(false)
  if (failures.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        None. When a client is refused, the reason shows up here.
      </Text>
    )
  }
  return (
    <>
      <RowList>
        {failures.slice(0, isWhole ? undefined : shownAtFirst).map((failure) => (
          <FailureRow key={failure.requestId} failure={failure} />
        ))}
      </RowList>
      {failures.length > shownAtFirst && (
        <Button variant="default" size="xs" mt="sm" onClick={toggle} aria-expanded={isWhole}>
          {isWhole ? 'Show fewer' : `Show all ${failures.length}`}
        </Button>
      )}
    </>
  )
}
