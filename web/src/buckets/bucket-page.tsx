import { Button, Stack } from '@mantine/core'
import { IconBucketOff } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { Link, useParams } from 'wouter'
import type { BucketStatus } from '../../../src/dashboard/management/management-schemas.ts'
import { RequestsSection } from '../activity/requests/requests-section.tsx'
import { UploadsSection } from '../activity/uploads/uploads-section.tsx'
import { useBuckets, useStatus } from '../api/service-queries.ts'
import { NotFoundPage } from '../app/not-found-page.tsx'
import { Breadcrumbs } from '../files/header/breadcrumbs.tsx'
import { ShareSections } from '../shares/shares-page.tsx'
import { useShares } from '../shares/shares-queries.ts'
import { bucketsTexts } from '../texts/buckets.ts'
import { EmptyState } from '../ui/empty-state.tsx'
import { Loaded } from '../ui/loaded.tsx'
import { PageTitle } from '../ui/page-title.tsx'
import classes from './bucket-page.module.css'
import { BucketTabs } from './bucket-tabs.tsx'
import { BucketSettings } from './settings/bucket-settings.tsx'

type Tab = 'settings' | 'links' | 'activity'

const labels: Readonly<Record<Tab, string>> = {
  settings: bucketsTexts.tab.settings,
  links: bucketsTexts.tab.links,
  activity: bucketsTexts.tab.activity,
}

/** The tabs of a bucket beside its files. */
export function BucketPage() {
  const { bucket = '', tab = '' } = useParams()
  return isTab(tab) ? <BucketPlace bucket={bucket} tab={tab} /> : <NotFoundPage />
}

function BucketPlace({ bucket, tab }: { readonly bucket: string; readonly tab: Tab }) {
  return (
    <>
      <PageTitle title={bucketsTexts.tabOf(labels[tab], bucket)} />
      <BucketTabs bucket={bucket} here={tab} />
      <div className={classes.crumbs}>
        <Breadcrumbs bucket={bucket} prefix="" />
      </div>
      <Loaded query={useBuckets()} failure={bucketsTexts.bucketFailure}>
        {({ buckets }) => {
          const status = buckets.find(({ name }) => name === bucket)
          if (status === undefined) return <NoBucket name={bucket} />
          return <Content key={bucket} tab={tab} bucket={status} />
        }}
      </Loaded>
    </>
  )
}

function isTab(text: string): text is Tab {
  return Object.hasOwn(labels, text)
}

function Content({ tab, bucket }: { readonly tab: Tab; readonly bucket: BucketStatus }): ReactNode {
  switch (tab) {
    case 'settings':
      return <SettingsTab bucket={bucket} />
    case 'links':
      return <BucketLinks bucket={bucket.name} />
    case 'activity':
      return (
        <Stack gap={16}>
          <UploadsSection bucket={bucket.name} />
          <RequestsSection bucket={bucket.name} />
        </Stack>
      )
  }
}

/** The settings of the gateway decide what the fields say. */
function SettingsTab({ bucket }: { readonly bucket: BucketStatus }) {
  return (
    <Loaded query={useStatus()} failure={bucketsTexts.settingsFailure} lines={6}>
      {() => <BucketSettings bucket={bucket} />}
    </Loaded>
  )
}

function BucketLinks({ bucket }: { readonly bucket: string }) {
  return (
    <Loaded query={useShares()} failure={bucketsTexts.linksFailure}>
      {({ shares }) => <ShareSections shares={shares.filter((one) => one.bucket === bucket)} />}
    </Loaded>
  )
}

function NoBucket({ name }: { readonly name: string }) {
  return (
    <EmptyState
      icon={<IconBucketOff size={40} stroke={1.2} />}
      title={bucketsTexts.unknown(name)}
      action={
        <Button component={Link} href="/files" size="xs" variant="default">
          {bucketsTexts.showAll}
        </Button>
      }
    >
      {bucketsTexts.unknownText}
    </EmptyState>
  )
}
