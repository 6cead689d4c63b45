import { Anchor, Stack, Text, Title } from '@mantine/core'
import { IconLink } from '@tabler/icons-react'
import { Link } from 'wouter'
import type { ShareReply } from '../../../src/dashboard/shares/share-schemas.ts'
import { Rich } from '../texts/rich.tsx'
import { sharesTexts } from '../texts/shares.ts'
import { EmptyState } from '../ui/empty-state.tsx'
import { Loaded } from '../ui/loaded.tsx'
import { PageTitle } from '../ui/page-title.tsx'
import { RowList } from '../ui/row-list.tsx'
import { Section } from '../ui/section.tsx'
import { ShareRow } from './share-row.tsx'
import { useShares } from './shares-queries.ts'

/** All links for people without an account. */
export function SharesPage() {
  return (
    <>
      <PageTitle title={sharesTexts.title} />
      <Title order={1} size="h2" mb="sm">
        {sharesTexts.title}
      </Title>
      <Text size="sm" c="dimmed" mb="md" maw={720}>
        {sharesTexts.text}
      </Text>
      <Loaded query={useShares()} failure={sharesTexts.failure}>
        {({ shares }) => <ShareSections shares={shares} />}
      </Loaded>
    </>
  )
}

/** Links that work, then those that have ended. */
export function ShareSections({ shares }: { readonly shares: readonly ShareReply[] }) {
  const active = shares.filter(({ end }) => end === null)
  const ended = shares.filter(({ end }) => end !== null)
  return (
    <Stack gap={16}>
      <Section title={sharesTexts.active}>
        {active.length === 0 ? <NoShares /> : <ShareRows shares={active} />}
      </Section>
      {ended.length > 0 && (
        <Section title={sharesTexts.ended}>
          <ShareRows shares={ended} />
        </Section>
      )}
    </Stack>
  )
}

export function ShareRows({ shares }: { readonly shares: readonly ShareReply[] }) {
  return (
    <RowList>
      {shares.map((share) => (
        <ShareRow key={share.shareId} share={share} />
      ))}
    </RowList>
  )
}

function NoShares() {
  return (
    <EmptyState icon={<IconLink size={32} stroke={1.5} />} title={sharesTexts.none}>
      <Rich
        text={sharesTexts.noneText}
        marks={{
          link: (words) => (
            <Anchor component={Link} inherit underline="always" href="/files">
              {words}
            </Anchor>
          ),
          i: (words) => <i>{words}</i>,
        }}
      />
    </EmptyState>
  )
}
