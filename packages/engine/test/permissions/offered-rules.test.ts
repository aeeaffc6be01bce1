/** The rule that is offered for "always" reaches no further than what was seen. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { nodeFiles } from '@turnwright/base/files/node-files.ts';
import { question, TOOLS, tempFolder } from '@turnwright/test/permissions/ask-doubles.ts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createPermissions } from '../../src/permissions/permission-engine.ts';

const folder = await tempFolder();
const cwd = join(folder.path, 'proj');
beforeAll(() => mkdir(cwd, { recursive: true }));
afterAll(() => folder.remove());

async function offeredFor(command: string): Promise<readonly string[]> {
  const verdict = await createPermissions({ files: nodeFiles }).decide(
    question(TOOLS.Bash, { command }, cwd),
  );
  return verdict.kind !== 'ask'
    ? [verdict.kind]
    : (verdict.suggestions ?? []).flatMap((update) =>
        'rules' in update ? update.rules.map(({ ruleContent = '' }) => ruleContent) : [],
      );
}

/** Any further word leaves them as harmless, or as dangerous, as they are. */
it.each([
  ['npm test', 'npm test *', 'npm test -- --bail'],
  ['npm test -- src/a.test.ts', 'npm test *', 'npm test'],
  ['npm run build', 'npm run build *', 'npm run build -- --mode x'],
  ['npm run test:unit -- -t x', 'npm run test:unit *', 'npm run test:unit'],
  ['pnpm run lint', 'pnpm run lint *', 'pnpm run lint --quiet'],
  ['yarn test --coverage', 'yarn test *', 'yarn test'],
  ['npm outdated', 'npm outdated *', 'npm outdated --json'],
  ['npm view react versions', 'npm view *', 'npm view vue'],
  ['git commit -m x', 'git commit *', 'git commit -m "y z"'],
  ['git add src', 'git add *', 'git add -A'],
  ['cargo test name', 'cargo test *', 'cargo test other -- --nocapture'],
  ['cargo build --release', 'cargo build *', 'cargo build'],
  ['pip list', 'pip list *', 'pip list --outdated'],
  ['docker compose ps -a', 'docker compose ps *', 'docker compose ps'],
  ['docker compose logs -f web', 'docker compose logs *', 'docker compose logs db'],
  ['kubectl get pods -n x', 'kubectl get pods *', 'kubectl get pods -o wide'],
  ['kubectl logs x', 'kubectl logs *', 'kubectl logs -f y'],
  ['gh pr view 1', 'gh pr view *', 'gh pr view 2 --comments'],
  ['terraform plan', 'terraform plan *', 'terraform plan -out=x'],
  ['cargo fmt', 'cargo fmt *', 'cargo fmt --check'],
])('for %s the rule %s, which covers %s', async (command, rule, covered) => {
  expect(await offeredFor(command)).toEqual([rule]);
  const permissions = createPermissions({ files: nodeFiles, allow: [`Bash(${rule})`] });
  expect((await permissions.decide(question(TOOLS.Bash, { command: covered }, cwd))).kind).toBe('allow');
});

/** Another operand or option would delete, overwrite, publish, install or read secrets: exactly what was seen. */
it.each([
  ['git checkout -b x', 'git checkout -- .'],
  ['git switch -c x', 'git switch -f main'],
  ['git push origin main', 'git push --force origin main'],
  ['git push origin feature', 'git push origin --delete main'],
  ['git pull', 'git pull --rebase=interactive'],
  ['git fetch origin', 'git fetch origin +a:main'],
  ['git merge main', 'git merge --abort'],
  ['git rebase main', 'git rebase --onto a b'],
  ['git reset --soft HEAD', 'git reset --hard HEAD'],
  ['git restore --staged a', 'git restore .'],
  ['git stash', 'git stash drop'],
  ['git stash push', 'git stash clear'],
  ['git branch x', 'git branch -D main'],
  ['git tag v1', 'git tag -d v1'],
  ['git rm a', 'git rm -rf .'],
  ['git mv a b', 'git mv -f a b'],
  ['git revert HEAD', 'git revert --abort'],
  ['git cherry-pick a', 'git cherry-pick --quit'],
  ['git clean -i', 'git clean -fdx'],
  ['git remote add x y', 'git remote remove origin'],
  ['pip install x', 'pip install evil'],
  ['pip3 install -r requirements.txt', 'pip3 install evil'],
  ['pip uninstall x', 'pip uninstall -y y'],
  ['npm install', 'npm install evil'],
  ['npm install x', 'npm install evil'],
  ['npm ci', 'npm ci --ignore-scripts=false'],
  ['npm audit', 'npm audit fix --force'],
  ['npm publish', 'npm publish --access public'],
  ['npm run deploy staging', 'npm run deploy production'],
  ['npm run db:reset', 'npm run db:reset -- --production'],
  ['pnpm add x', 'pnpm add evil'],
  ['yarn remove x', 'yarn remove y'],
  ['bun update', 'bun update evil'],
  ['cargo add x', 'cargo add evil'],
  ['cargo clippy', 'cargo clippy --fix'],
  ['cargo fmt --check', 'cargo fmt'],
  ['cargo publish', 'cargo publish --allow-dirty'],
  ['docker build .', 'docker build --push .'],
  ['docker push x', 'docker push y'],
  ['docker compose up -d', 'docker compose up --force-recreate'],
  ['docker system events', 'docker system prune'],
  ['kubectl get secrets', 'kubectl get secrets -o yaml'],
  ['kubectl get all', 'kubectl get all -A'],
  ['kubectl apply -f x.yaml', 'kubectl apply -f y.yaml'],
  ['kubectl delete pod x', 'kubectl delete pod y'],
  ['gh pr merge 1', 'gh pr merge 2 --admin'],
  ['gh repo clone a/b', 'gh repo delete a/b'],
  ['gh release create v1', 'gh release delete v1'],
  ['terraform apply', 'terraform apply -auto-approve'],
  ['terraform fmt -check', 'terraform fmt'],
  ['go test ./...', 'go test ./x'],
  ['make test', 'make deploy'],
  ['curl https://a.example/', 'curl -X DELETE https://a.example/'],
  ['ssh host ls', 'ssh host rm -rf x'],
  ['rsync -a a b', 'rsync -a --delete a b'],
  ['npm test --prefix web', 'npm test --prefix /other'],
  ['cargo test --config x', 'cargo test --config y'],
  ['brew install x', 'brew install y'],
  ['apt-get install x', 'apt-get install y'],
])('for %s exactly that, which does not cover %s', async (command, other) => {
  expect(await offeredFor(command)).toEqual([command]);
  const permissions = createPermissions({ files: nodeFiles, allow: [`Bash(${command})`] });
  expect((await permissions.decide(question(TOOLS.Bash, { command: other }, cwd))).kind).toBe('ask');
});
