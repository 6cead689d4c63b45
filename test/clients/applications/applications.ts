import type { NewestClient } from '../newest/clients.ts'

/** How a container of MinIO is started. */
export interface Container {
  readonly environment: Readonly<Record<string, string>>
  /** FOLDER is the volume, and each PORT a free port. */
  readonly command: readonly string[]
  /** Folders that are made in the volume before the start. MinIO serves them as buckets. */
  readonly folders?: readonly string[]
}

/** A project that runs beside MinIO, and what its own files give the container. */
export interface Application extends Container {
  readonly name: string
  /** Where the facts are from: repository and files. */
  readonly source: string
  /** What the init container gives to `mc`, or to `aws`. `x` is the alias, of which the address and keys are left out. */
  readonly init?: readonly string[]
  /** The health check of the container. */
  readonly health?: 'curl' | 'mc ready'
  /** The first bucket is given to the scenario. */
  readonly bucket: string
  /** The S3 library of the application, and what the application does with it. */
  readonly library: NewestClient
  /** Also run on a push, with the libraries that CI has. */
  readonly isOnPush?: true
  /** What the scenario does, for the table of docs/moving-in.md. */
  readonly replayed: string
}

const sdk = '@aws-sdk/client-s3'
const goSdk = 'github.com/aws/aws-sdk-go-v2'

const boto3: NewestClient = {
  ...{ name: 'boto3', registry: 'PyPI', packages: ['boto3'], scenario: 'python/applications.py' },
}

const nodeLibraries: NewestClient = {
  ...{ name: sdk, registry: 'npm', scenario: 'node/applications.mjs' },
  packages: [
    sdk,
    ...['lib-storage', 's3-presigned-post', 's3-request-presigner'].map((one) => `@aws-sdk/${one}`),
  ],
}

const minioGo: NewestClient = {
  ...{ name: 'github.com/minio/minio-go/v7', registry: 'Go modules', scenario: 'go/with_minio.go' },
  packages: ['github.com/minio/minio-go/v7'],
}

const root = (user: string, password: string) => ({
  ...{ MINIO_ROOT_USER: user, MINIO_ROOT_PASSWORD: password },
})

const awsRuby: NewestClient = {
  ...{ name: 'ruby-aws-sdk-s3', registry: 'Debian', scenario: 'ruby/mastodon.rb' },
  packages: ['ruby-aws-sdk-s3'],
}

const mastodon = {
  source: 'mastodon/mastodon paperclip.rb, suspend_account_service.rb; its page on object storage',
  environment: root('mastodon', 'mastodon-secret'),
  command: ['server', 'FOLDER'],
  bucket: 'mastodata',
  library: awsRuby,
}

/** Airbyte's file has `policy set`, which the newest `mc` calls `anonymous set`. */
export const applications: readonly Application[] = [
  {
    name: 'Outline',
    source: 'outline/outline S3Storage.ts; chsasank/outline-wiki-docker-compose',
    environment: { MINIO_ACCESS_KEY: 'outline-key', MINIO_SECRET_KEY: 'outline-secret' },
    command: ['minio', 'server', 'FOLDER'],
    init: ['alias set x', 'mb -p x/outline', 'anonymous set download x/outline/public'],
    bucket: 'outline',
    library: nodeLibraries,
    replayed: 'form with ACL and conditions from a page, presigned GET, public avatars',
  },
  {
    name: 'Plane',
    source: 'makeplane/plane docker-compose.yml, settings/storage.py',
    environment: root('access-key', 'secret-key'),
    command: ['server', 'FOLDER', '--console-address', ':PORT'],
    init: ['config host add x', 'mb x/uploads', 'anonymous set download x/uploads'],
    bucket: 'uploads',
    library: boto3,
    replayed: 'form from a page, presigned GET, copy, DeleteObjects, anonymous reads',
  },
  {
    name: 'Langfuse',
    source: 'langfuse/langfuse docker-compose.yml, StorageService.ts',
    environment: root('minio', 'miniosecret'),
    command: ['server', '--address', ':PORT', '--console-address', ':PORT', 'FOLDER'],
    folders: ['langfuse'],
    health: 'mc ready',
    bucket: 'langfuse',
    library: nodeLibraries,
    isOnPush: true,
    replayed:
      'events in region `auto`, export as a stream, presigned PUT from a page with a checksum',
  },
  {
    name: 'Dify',
    source: 'langgenius/dify docker-compose.milvus.yaml, aws_s3_storage.py',
    environment: { MINIO_ACCESS_KEY: 'minioadmin', MINIO_SECRET_KEY: 'minioadmin' },
    command: ['minio', 'server', 'FOLDER', '--console-address', ':PORT'],
    health: 'curl',
    bucket: 'difyai',
    library: boto3,
    isOnPush: true,
    replayed: 'HeadBucket and CreateBucket at its start, objects as a stream and as a file',
  },
  {
    name: 'Mattermost',
    source: 'mattermost/mattermost docker-compose.common.yml, s3store.go',
    environment: {
      ...root('minioaccesskey', 'miniosecretkey'),
      MINIO_KMS_SECRET_KEY: 'my-minio-key:OSMM+vkKUTCvQs9YL/CVMIMt43HFhkUpqJxTmGl6rYw=',
    },
    command: ['server', 'FOLDER', '--console-address', ':PORT'],
    bucket: 'mattermost-test',
    library: minioGo,
    replayed:
      'test of the connection, MakeBucket, streams of unknown length, append by UploadPartCopy',
  },
  {
    name: 'Milvus',
    source: 'milvus-io/milvus deployments/docker/standalone/docker-compose.yml',
    environment: { MINIO_ACCESS_KEY: 'minioadmin', MINIO_SECRET_KEY: 'minioadmin' },
    command: ['minio', 'server', 'FOLDER', '--console-address', ':PORT'],
    health: 'curl',
    bucket: 'a-bucket',
    library: minioGo,
    replayed: 'MakeBucket at its start, segments in parts, ranges, listings by prefix, removal',
  },
  {
    name: 'Label Studio',
    source: 'HumanSignal/label-studio docker-compose.minio.yml, io_storages/s3',
    environment: {
      ...root('minio-root', 'minio-password'),
      MINIO_PROMETHEUS_URL: 'http://prometheus:9090',
      MINIO_PROMETHEUS_AUTH_TYPE: 'public',
    },
    command: ['server', 'FOLDER', '--console-address', ':PORT'],
    init: ['aws s3 mb s3://label-studio'],
    bucket: 'label-studio',
    library: boto3,
    isOnPush: true,
    replayed: 'listing as a resource, presigned GET from a page, annotations written back',
  },
  {
    name: 'GitLab Runner (cache)',
    source: 'gitlab-runner docs/configuration/speed_up_job_execution.md, cache/s3v2/s3.go',
    environment: root('minio', 'minio123'),
    command: ['server', 'FOLDER'],
    folders: ['runner'],
    bucket: 'runner',
    library: {
      ...{ name: `${goSdk}/service/s3`, registry: 'Go modules', scenario: 'go/with_sdk.go' },
      packages: [`${goSdk}/service/s3`, `${goSdk}/credentials`],
    },
    replayed: 'presigned PUT of the archive, HEAD and GET of it, 404 for a cold cache',
  },
  {
    ...mastodon,
    name: 'Mastodon',
    init: ['alias set x', 'mb x/mastodata', 'anonymous set-json read.json x/mastodata'],
    replayed:
      'uploads with `public-read`, in parts, anonymous reads without listing; `private` for suspended accounts is refused, because the policy opens them',
  },
  {
    ...mastodon,
    name: 'Mastodon without policy',
    environment: {
      ...mastodon.environment,
      ...{ ALLOWED_BUCKETS: 'mastodata', PUBLIC_READ_BUCKETS: 'mastodata', PUBLIC_LIST: 'false' },
    },
    replayed: 'the same with PUBLIC_READ_BUCKETS; `private` is honoured',
  },
  {
    name: 'PeerTube',
    source: 'Chocobozzz/PeerTube object-storage-helpers.ts, pre-signed-urls.ts',
    environment: root('peertube', 'peertube-secret'),
    command: ['server', 'FOLDER'],
    init: ['aws s3 mb s3://peertube'],
    bucket: 'peertube',
    library: nodeLibraries,
    isOnPush: true,
    replayed:
      'videos in parts with an ACL, CORS rules, ranges, PutObjectAcl by prefix, presigned GET',
  },
  {
    name: 'Zulip',
    source: 'zulip/zulip zerver/lib/upload/s3.py',
    environment: root('zulip-key', 'zulip-secret'),
    command: ['server', 'FOLDER'],
    init: ['aws s3 mb s3://zulip-uploads', 'aws s3 mb s3://zulip-avatars'],
    bucket: 'zulip-uploads',
    library: boto3,
    isOnPush: true,
    replayed:
      'metadata, storage class, presigned GET with a file name, listing by pages, DeleteObjects',
  },
  {
    name: 'Airbyte',
    source: 'airbytehq/airbyte-platform charts/airbyte/templates/minio.yaml',
    environment: root('minio', 'minio123'),
    command: ['server', 'FOLDER'],
    init: [
      'config host add x',
      'mb --ignore-existing x/state-storage',
      'anonymous set public x/state-storage',
    ],
    bucket: 'state-storage',
    library: {
      ...{ name: 'software.amazon.awssdk:s3', registry: 'Maven', scenario: 'java/Airbyte.java' },
      packages: ['software.amazon.awssdk:s3'],
    },
    replayed: 'state and logs as documents, listing of a job, an anonymous read and write',
  },
  {
    name: 'Supabase Storage',
    source: 'supabase/supabase docker-compose.s3.yml; supabase/storage s3/adapter.ts',
    environment: root('supa-storage', 'secret1234'),
    command: ['server', '--console-address', ':PORT', 'FOLDER'],
    init: ['alias set x', 'mb --ignore-existing x/stub'],
    health: 'mc ready',
    bucket: 'stub',
    library: nodeLibraries,
    replayed:
      'streams, conditional GET, encoded copy source, parts with ListParts and UploadPartCopy',
  },
  {
    name: 'OpenProject',
    source: 'opf/openproject docker/dev/minio/docker-compose.yml, direct_fog_uploader.rb',
    environment: root('minioadmin', 'minioadmin'),
    command: ['server', '--console-address', ':PORT', 'FOLDER'],
    folders: ['openproject-uploads'],
    health: 'mc ready',
    bucket: 'openproject-uploads',
    library: {
      ...{ name: 'ruby-fog-aws', registry: 'Debian', scenario: 'ruby/openproject.rb' },
      packages: ['ruby-fog-aws'],
    },
    replayed: 'attachments through fog, form from a page with status 201, presigned GET',
  },
  {
    name: 'La Suite Docs',
    source: 'suitenumerique/docs compose.yml, nginx conf.d/default.conf',
    environment: root('impress', 'password'),
    command: ['minio', 'server', '--console-address', ':PORT', 'FOLDER'],
    init: ['alias set x', 'mb x/impress-media-storage', 'version enable x/impress-media-storage'],
    health: 'mc ready',
    bucket: 'impress-media-storage',
    library: boto3,
    replayed: 'versions of a document, attachments by a signature that a proxy passes on',
  },
  {
    name: 'Typebot',
    source: 'baptisteArno/typebot.io docker-compose.dev.yml',
    environment: root('minio', 'minio123'),
    command: ['server', 'FOLDER', '--console-address', ':PORT'],
    init: [
      'alias set x',
      'mb --ignore-existing x/typebot',
      'anonymous set public x/typebot/public',
    ],
    bucket: 'typebot',
    library: {
      ...{ name: 'minio', registry: 'npm', packages: ['minio'], scenario: 'node/typebot.mjs' },
    },
    replayed: 'form of minio-js from a page, anonymous reads below `public/` and nowhere else',
  },
]

/** How the modules of Testcontainers start the image that they are given. They wait for /minio/health/live. */
export const testcontainers: Readonly<Record<string, Container>> = {
  'Java and Node': {
    environment: root('minioadmin', 'minioadmin'),
    command: ['server', '--console-address', ':PORT', 'FOLDER'],
  },
  Go: { environment: root('minioadmin', 'minioadmin'), command: ['server', 'FOLDER'] },
  Python: {
    environment: { MINIO_ACCESS_KEY: 'minioadmin', MINIO_SECRET_KEY: 'minioadmin' },
    command: ['server', 'FOLDER', '--address', ':PORT'],
  },
}
