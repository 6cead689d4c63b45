import { Anchor, Text } from '@mantine/core'
import { Link } from 'wouter'
import { useBuckets } from '../api/service-queries.ts'
import { useKeys } from '../keys/keys-queries.ts'
import { useRouting } from '../models/routing-queries.ts'
import { settingsTexts } from '../texts/settings.ts'
import { Section } from '../ui/section.tsx'
import { amountOrNone, changedBuckets } from './changed-text.ts'
import classes from './settings-section.module.css'

/** What was set at run time, with links to the pages that set it. */
export function ChangedSection() {
  const buckets = useBuckets().data?.buckets
  const keys = useKeys().data?.keys
  const routing = useRouting().data
  return (
    <Section title={settingsTexts.changed.title}>
      <dl className={classes.list}>
        <Changed
          href="/files"
          name={settingsTexts.changed.buckets}
          text={buckets && changedBuckets(buckets)}
        />
        <Changed
          href="/keys"
          name={settingsTexts.changed.keys}
          text={keys && amountOrNone(keys.length, settingsTexts.changed.keyCount)}
        />
        <Changed
          href="/models/connections"
          name={settingsTexts.changed.connections}
          text={
            routing &&
            amountOrNone(routing.connections.length, settingsTexts.changed.connectionCount)
          }
        />
      </dl>
      <Text size="xs" c="dimmed" mt="sm">
        {settingsTexts.changed.text}
      </Text>
    </Section>
  )
}

interface ChangedProps {
  readonly href: string
  readonly name: string
  readonly text: string | undefined
}

function Changed({ href, name, text = '…' }: ChangedProps) {
  return (
    <div className={classes.setting}>
      <dt>
        <Anchor component={Link} href={href} inherit className={classes.link ?? ''}>
          {name}
        </Anchor>
      </dt>
      <dd>{text}</dd>
    </div>
  )
}
