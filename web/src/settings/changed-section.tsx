import { Anchor, Text } from '@mantine/core'
import { Link } from 'wouter'
import { useBuckets } from '../api/service-queries.ts'
import { useKeys } from '../keys/keys-queries.ts'
import { useRouting } from '../models/routing-queries.ts'
import { Section } from '../ui/section.tsx'
import { amountOrNone, changedBuckets } from './changed-text.ts'
import classes from './settings-section.module.css'

/** What is set at run time, with links to where. */
export function ChangedSection() {
  const buckets = useBuckets().data?.buckets
  const keys = useKeys().data?.keys
  const routing = useRouting().data
  return (
    <Section title="Changed in the dashboard">
      <dl className={classes.list}>
        <Changed href="/" name="Buckets" text={buckets && changedBuckets(buckets)} />
        <Changed href="/keys" name="Access keys" text={keys && amountOrNone(keys.length, 'key')} />
        <Changed
          href="/models/connections"
          name="Connections of models"
          text={routing && amountOrNone(routing.connections.length, 'connection')}
        />
      </dl>
      <Text size="xs" c="dimmed" mt="sm">
        This is kept in the database, is in force at once, and holds for every gateway that shares
        it.
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
