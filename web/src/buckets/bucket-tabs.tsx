import { Link } from 'wouter'
import { useBucket } from '../api/service-queries.ts'
import classes from './bucket-tabs.module.css'
import { PublicBadge } from './public-badge.tsx'

const tabs = [
  { name: 'files', label: 'Files' },
  { name: 'settings', label: 'Settings' },
  { name: 'links', label: 'Links' },
  { name: 'activity', label: 'Activity' },
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
      <nav aria-label="Pages of the bucket" className={classes.tabs}>
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
