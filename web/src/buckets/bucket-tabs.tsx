import { Link } from 'wouter'
import { useBucket } from '../api/service-queries.ts'
import { bucketsTexts } from '../texts/buckets.ts'
import classes from './bucket-tabs.module.css'
import { PublicBadge } from './public-badge.tsx'

const tabs = [
  { name: 'files', label: bucketsTexts.tab.files },
  { name: 'settings', label: bucketsTexts.tab.settings },
  { name: 'links', label: bucketsTexts.tab.links },
  { name: 'activity', label: bucketsTexts.tab.activity },
] as const
export type BucketTab = (typeof tabs)[number]['name']

/** The address of a tab, below the app's base. */
export function bucketPath(bucket: string, tab: BucketTab): string {
  return tab === 'files' ? `/files/${bucket}` : `/buckets/${bucket}/${tab}`
}

interface BucketTabsProps {
  readonly bucket: string
  readonly here: BucketTab
}

/** The pages of a bucket, above each of them. */
export function BucketTabs({ bucket, here }: BucketTabsProps) {
  const status = useBucket(bucket)
  return (
    <div className={classes.bar} data-bucket-tabs>
      <nav aria-label={bucketsTexts.pages} className={classes.tabs}>
        {tabs.map(({ name, label }) => (
          <Link
            key={name}
            href={bucketPath(bucket, name)}
            className={classes.tab ?? ''}
            {...(name === here && { 'aria-current': 'page' as const })}
          >
            {label}
          </Link>
        ))}
      </nav>
      {status !== undefined && <PublicBadge bucket={status} />}
    </div>
  )
}
