// These tests talk to the cluster of KUBECONFIG: admsim serve -C world/ -- npm test
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AppsV1Api, CoreV1Api, CustomObjectsApi, KubeConfig, PatchStrategy, Watch, makeInformer, setHeaderOptions } from '@kubernetes/client-node';
import { deploy } from './deployer.js';

const config = new KubeConfig();
config.loadFromDefault();
const namespace = 'shop';

test('a deployment gets the defaults of the server', async () => {
  const made = await deploy(config, { name: 'web', team: 'front', image: 'nginx' });
  assert.equal(made.spec.replicas, 1);
  assert.equal(made.spec.template.spec.containers[0].imagePullPolicy, 'Always');
});

test('a deployment without a team is denied', async () => {
  await assert.rejects(deploy(config, { name: 'lost', image: 'nginx' }), (err) => err.code === 422 && /say which team it is of/.test(err.body));
});

test('patches, scale, server-side apply', async () => {
  const apps = config.makeApiClient(AppsV1Api);
  await deploy(config, { name: 'api', team: 'back', image: 'api:1' });
  const patched = await apps.patchNamespacedDeployment(
    { name: 'api', namespace, body: { spec: { replicas: 4 } } },
    setHeaderOptions('Content-Type', PatchStrategy.StrategicMergePatch),
  );
  assert.equal(patched.spec.replicas, 4);
  const scale = await apps.readNamespacedDeploymentScale({ name: 'api', namespace });
  assert.equal(scale.spec.replicas, 4);
  const applied = await config.makeApiClient(CoreV1Api).patchNamespacedConfigMap(
    { name: 'settings', namespace, fieldManager: 'deployer', body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings' }, data: { workers: '4' } } },
    setHeaderOptions('Content-Type', PatchStrategy.ServerSideApply),
  );
  assert.equal(applied.metadata.managedFields[0].manager, 'deployer');
});

test('custom resources are defaulted and checked', async () => {
  const custom = config.makeApiClient(CustomObjectsApi);
  const backup = (name, spec) => custom.createNamespacedCustomObject({
    group: 'shop.example', version: 'v1', plural: 'backups', namespace,
    body: { apiVersion: 'shop.example/v1', kind: 'Backup', metadata: { name }, spec },
  });
  assert.equal((await backup('nightly', { every: '24h' })).spec.keep, 3);
  await assert.rejects(backup('never', {}), (err) => err.code === 422 && /spec.every/.test(err.body));
});

test('an informer follows what happens', async () => {
  const core = config.makeApiClient(CoreV1Api);
  const informer = makeInformer(config, '/api/v1/namespaces/shop/secrets', () => core.listNamespacedSecret({ namespace }));
  const seen = [];
  const gone = new Promise((resolve, reject) => {
    informer.on('add', (secret) => seen.push(`add ${secret.metadata.name}`));
    informer.on('update', (secret) => seen.push(`update ${secret.metadata.name}`));
    informer.on('delete', (secret) => { seen.push(`delete ${secret.metadata.name}`); resolve(); });
    informer.on('error', reject);
  });
  await core.createNamespacedSecret({ namespace, body: { metadata: { name: 'first' } } });
  await informer.start();
  await core.createNamespacedSecret({ namespace, body: { metadata: { name: 'second' } } });
  await core.deleteNamespacedSecret({ name: 'second', namespace });
  await gone;
  await informer.stop();
  assert.deepEqual(seen, ['add first', 'add second', 'delete second']);
});

test('a watch ends when it is aborted', async () => {
  const events = [];
  let controller;
  await new Promise((resolve, reject) => {
    new Watch(config).watch('/api/v1/namespaces', { fieldSelector: 'metadata.name=shop' }, (type, object) => {
      events.push(`${type} ${object.metadata.name}`);
      controller.abort();
    }, (err) => (err && err.name !== 'AbortError' ? reject(err) : resolve())).then((c) => { controller = c; });
  });
  assert.deepEqual(events, ['ADDED shop']);
});
