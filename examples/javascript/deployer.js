// deploy creates a Deployment for a team, as a program of yours might.
import { AppsV1Api } from '@kubernetes/client-node';

export async function deploy(config, { name, team, image }) {
  const labels = team ? { app: name, team } : { app: name };
  return config.makeApiClient(AppsV1Api).createNamespacedDeployment({
    namespace: 'shop',
    body: {
      metadata: { name, labels },
      spec: {
        selector: { matchLabels: { app: name } },
        template: { metadata: { labels }, spec: { containers: [{ name, image }] } },
      },
    },
  });
}
