import { Box, Button, SegmentedControl } from '@mantine/core'
import { useState } from 'react'
import { formatBytes, formatCount } from '../../format/bytes.ts'
import { formatDollars } from '../../format/money.ts'
import { formatMilliseconds } from '../../format/time.ts'
import { modelsTexts } from '../../texts/models.ts'
import { Section } from '../../ui/section.tsx'
import { useAddressParams } from '../use-address-params.ts'
import classes from './usage.module.css'
import { type Grouping, groupings, groupsOf, type UsageRow, type UsageSums } from './usage-sums.ts'
import type { UsageNames } from './use-usage-names.ts'

const columns: readonly {
  readonly label: string
  readonly text: (sums: UsageSums) => string
}[] = [
  { label: modelsTexts.usage.requests, text: ({ requests }) => formatCount(requests) },
  { label: modelsTexts.usage.errors, text: ({ errors }) => formatCount(errors) },
  { label: modelsTexts.usage.fallbacks, text: ({ fallbacks }) => formatCount(fallbacks) },
  { label: modelsTexts.usage.inputTokens, text: ({ inputTokens }) => formatCount(inputTokens) },
  { label: modelsTexts.usage.outputTokens, text: ({ outputTokens }) => formatCount(outputTokens) },
  { label: modelsTexts.usage.cost, text: ({ dollars }) => formatDollars(dollars) },
  { label: modelsTexts.usage.received, text: ({ receivedBytes }) => formatBytes(receivedBytes) },
  { label: modelsTexts.usage.sent, text: ({ sentBytes }) => formatBytes(sentBytes) },
  {
    label: modelsTexts.usage.firstByte,
    text: ({ firstByteMs }) => (firstByteMs === null ? '–' : formatMilliseconds(firstByteMs)),
  },
]

const pageSize = 50

interface UsageTableProps {
  readonly rows: readonly UsageRow[]
  readonly by: 'day' | 'hour'
  readonly nameOf: UsageNames
}

/** The sums of a period by model, key, connection or time. */
export function UsageTable({ rows, by, nameOf }: UsageTableProps) {
  const [params, set] = useAddressParams()
  const [shown, setShown] = useState(pageSize)
  const grouping = groupings.find((one) => one === params.get('by')) ?? 'model'
  const labels: Readonly<Record<Grouping, string>> = {
    ...{
      model: modelsTexts.usage.model,
      keyId: modelsTexts.usage.key,
      connectionId: modelsTexts.usage.connection,
    },
    from: by === 'day' ? modelsTexts.usage.day : modelsTexts.usage.hour,
  }
  const groups = groupsOf(rows, grouping)
  return (
    <Box mt="md">
      <Section
        title={modelsTexts.usage.totals}
        actions={
          <SegmentedControl
            aria-label={modelsTexts.usage.totalsBy}
            size="xs"
            value={grouping}
            onChange={(value) => set('by', value === 'model' ? '' : value)}
            data={groupings.map((one) => ({ value: one, label: labels[one] }))}
          />
        }
      >
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrolling regions must be reachable by keyboard */}
        <section className={classes.sums} aria-label={modelsTexts.usage.totalsTable} tabIndex={0}>
          <table>
            <thead>
              <tr>
                {[labels[grouping], ...columns.map(({ label }) => label)].map((label) => (
                  <th key={label} scope="col">
                    {label}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {groups.slice(0, shown).map(({ of, sums }) => (
                <tr key={of}>
                  <th scope="row">{nameOf(grouping, of, by)}</th>
                  {columns.map(({ label, text }) => (
                    <td key={label}>{text(sums)}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </section>
        {groups.length > shown && (
          <Button variant="default" size="xs" mt="sm" onClick={() => setShown(shown + pageSize)}>
            {modelsTexts.showMore(Math.min(pageSize, groups.length - shown), groups.length - shown)}
          </Button>
        )}
      </Section>
    </Box>
  )
}
