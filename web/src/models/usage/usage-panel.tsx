import { Alert, Group, NativeSelect, Text } from '@mantine/core'
import { IconChartBar } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { UsageReply } from '../../../../src/models/usage/usage-routes.ts'
import { request } from '../../api/client.ts'
import { modelsTexts } from '../../texts/models.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Section } from '../../ui/section.tsx'
import { NextStep } from '../next-step.tsx'
import { useAddressParams } from '../use-address-params.ts'
import { UsagePlots } from './usage-plots.tsx'
import {
  filtered,
  groupsOf,
  type Period,
  periodOf,
  periods,
  timesOf,
  type UsageFilter,
  type UsageRow,
} from './usage-sums.ts'
import { UsageTable } from './usage-table.tsx'
import { type UsageNames, useUsageNames } from './use-usage-names.ts'

const filters = [
  { field: 'keyId', param: 'key', label: modelsTexts.usage.key, all: modelsTexts.usage.allKeys },
  {
    field: 'connectionId',
    param: 'connection',
    label: modelsTexts.usage.connection,
    all: modelsTexts.usage.allConnections,
  },
  {
    field: 'model',
    param: 'model',
    label: modelsTexts.usage.model,
    all: modelsTexts.usage.allModels,
  },
] as const

/** The usage of calls. The selection is part of the page address. */
export function UsagePanel() {
  const [params, set] = useAddressParams()
  const period = periodOf(params.get('period'))
  const nameOf = useUsageNames()
  const query = useUsage(period)
  const filter = Object.fromEntries(
    filters.map(({ field, param }) => [field, params.get(param)?.slice(1) ?? null]),
  ) as UsageFilter
  return (
    <>
      <Section
        title={modelsTexts.tab.usage}
        actions={
          <NativeSelect
            aria-label={modelsTexts.usage.period}
            size="xs"
            value={period.id}
            data={periods.map(({ id, label }) => ({ value: id, label }))}
            onChange={({ currentTarget: { value } }) =>
              set('period', value === periods[0].id ? '' : value)
            }
          />
        }
      >
        <Loaded query={query} failure={modelsTexts.usage.failure} lines={8}>
          {({ by, times, rows, isCut }) => (
            <>
              {isCut && (
                <Alert color="orange" mb="md">
                  {modelsTexts.usage.cut}
                </Alert>
              )}
              {rows.length === 0 ? (
                <NoUsage />
              ) : (
                <>
                  <Filters rows={rows} filter={filter} nameOf={nameOf} onChange={set} />
                  <UsagePlots times={times} rows={filtered(rows, filter)} by={by} />
                </>
              )}
            </>
          )}
        </Loaded>
      </Section>
      {query.data !== undefined && query.data.rows.length > 0 && (
        <UsageTable rows={filtered(query.data.rows, filter)} by={query.data.by} nameOf={nameOf} />
      )}
    </>
  )
}

interface FiltersProps {
  readonly rows: readonly UsageRow[]
  readonly filter: UsageFilter
  readonly nameOf: UsageNames
  readonly onChange: (name: string, value: string) => void
}

/** A letter before each value, because the key in the settings has an empty id. */
function Filters({ rows, filter, nameOf, onChange }: FiltersProps) {
  return (
    <Group mb="lg" gap="sm">
      {filters.map(({ field, param, label, all }) => {
        const chosen = filter[field]
        const found = groupsOf(rows, field).map(({ of }) => of)
        const shown = chosen === null || found.includes(chosen) ? found : [...found, chosen]
        return (
          <NativeSelect
            key={field}
            aria-label={label}
            size="xs"
            maw={240}
            value={chosen === null ? '' : `=${chosen}`}
            data={[
              { value: '', label: all },
              ...shown.map((of) => ({ value: `=${of}`, label: nameOf(field, of) })),
            ]}
            onChange={({ currentTarget }) => onChange(param, currentTarget.value)}
          />
        )
      })}
      <Text size="xs" c="dimmed">
        {modelsTexts.usage.text}
      </Text>
    </Group>
  )
}

function NoUsage() {
  return (
    <EmptyState icon={<IconChartBar size={32} stroke={1.5} />} title={modelsTexts.usage.none}>
      <NextStep />
    </EmptyState>
  )
}

const refreshMs = 30_000
/** Maximum pages, of 10,000 rows each. */
const maxPages = 10

interface Usage {
  readonly by: Period['by']
  readonly times: readonly number[]
  readonly rows: readonly UsageRow[]
  /** Whether the newest rows are missing. */
  readonly isCut: boolean
}

function useUsage(period: Period) {
  return useQuery({
    queryKey: ['usage', period.id],
    queryFn: ({ signal }) => readUsage(period, signal),
    refetchInterval: refreshMs,
    // The plots stay until those of another period are loaded, so that the page does not jump.
    placeholderData: keepPreviousData,
  })
}

async function readUsage(period: Period, signal: AbortSignal): Promise<Usage> {
  const { by } = period
  const times = timesOf(period, Date.now())
  const rows: UsageRow[] = []
  let from = new Date(times[0] ?? 0).toISOString()
  for (let page = 0; page < maxPages; page += 1) {
    const query = { from, by }
    const reply = await request<UsageReply>('/-/api/usage', { query, signal })
    const last = reply.rows.at(-1)?.from
    if (!reply.isCut || last === undefined) {
      return { by, times, rows: [...rows, ...reply.rows], isCut: false }
    }
    // The last hour or day may be incomplete, and is read again.
    const complete = reply.rows.filter((row) => row.from !== last)
    if (complete.length === 0) break
    rows.push(...complete)
    from = last
  }
  return { by, times, rows, isCut: true }
}
