/** A rule for a subcommand covers its options, but for those that take code from elsewhere: these it has to name. */
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

const kindOf = async (command: string, rule: string) =>
  (
    await createPermissions({ files: nodeFiles, allow: [`Bash(${rule})`] }).decide(
      question(TOOLS.Bash, { command }, cwd),
    )
  ).kind;

it.each([
  ['npm test:*', '--script-shell=./x'],
  ['npm test:*', '--script-sh=./x'],
  ['npm test:*', '--prefix /other'],
  ['npm test:*', '-C /other'],
  ['npm run lint:*', '--node-options=--require=./x'],
  ['npm run lint:*', '--userconfig=x'],
  ['npm install:*', '--registry=http://a.example'],
  ['npm test:*', '-- --config=./x.js'],
  ['pnpm test:*', '--dir /other'],
  ['pnpm test:*', '--config.script-shell=./x'],
  ['yarn test:*', '--cwd /other'],
  ['yarn test *', '--require ./x'],
  ['go test:*', '-exec ./x'],
  ['go test:*', '--exec=./x'],
  ['go vet:*', '-vettool=./x'],
  ['go build:*', '-toolexec ./x'],
  ['go build:*', '-overlay=x.json'],
  ['go build:*', '-modfile=x.mod'],
  ['go build:*', '-ldflags "-extld=./x"'],
  ['go build:*', '-ldflags=-extld=./x'],
  ['go test:*', '-C /other'],
  ['go env:*', '-w GOFLAGS=-toolexec=./x'],
  ['cargo test:*', '--config target.x.runner=./x'],
  ['cargo build:*', '--manifest-path=/other/Cargo.toml'],
  ['cargo build:*', '-Z unstable-options'],
  ['kubectl get:*', 'pods --kubeconfig=./x'],
  ['helm template:*', '. --post-renderer ./x'],
  ['helm:*', 'template . --post-renderer=./x'],
  ['docker compose:*', '-f x.yml up'],
  ['docker compose:*', '--project-directory /other up'],
  ['docker compose:*', '--env-file x up'],
  ['make -n:*', '-f x'],
  ['make test:*', '-kfx'],
  ['make test:*', 'SHELL=./x'],
  ['make test:*', '-C /other'],
  ['make test:*', '--eval=x'],
  ['terraform plan:*', '-chdir=/other'],
  ['mvn test:*', '-s x.xml'],
  ['mvn test:*', '-f /other/pom.xml'],
  ['gradle test:*', '--init-script x'],
  ['./gradlew test:*', '-I x'],
  ['pip install:*', '--index-url http://a.example x'],
  ['uv run:*', '--project /other pytest'],
  ['prettier:*', '--plugin=./x .'],
  ['prettier --check:*', '--config x .'],
  ['eslint:*', '-c x .'],
  ['eslint:*', '-o x .'],
  ['eslint:*', '--rulesdir x .'],
  ['eslint:*', '-f ./x.js .'],
  ['jest:*', '--globalSetup=./x'],
  ['vitest run:*', '--reporter=./x.js'],
  ['mocha:*', '-r ./x'],
  ['pytest:*', '-p evil'],
  ['pytest:*', '--rootdir=/other'],
  ['node --check:*', '--require ./x a.js'],
  ['node --test:*', '--import=./x'],
  ['ruby -c:*', '-r./x a.rb'],
  ['perl -c:*', '-Mevil a.pl'],
  ['gcc:*', '-wrapper ./x a.c'],
  ['gcc:*', '@args'],
  ['curl:*', 'file:///etc/passwd'],
  ['wget:*', '-i list'],
  ['tcpdump:*', '-z ./x'],
  ['mysql:*', String.raw`-e '\! x'`],
  ['git fetch:*', './repo'],
  ['git pull:*', '../repo main'],
  ['git merge:*', '-s ./x main'],
  ['git merge:*', '--strategy=evil main'],
  ['git blame:*', '--contents /etc/passwd a'],
  ['git init:*', '--separate-git-dir /other'],
  ['git apply:*', '--unsafe-paths x.patch'],
])('%s does not cover %s', async (rule, words) => {
  const command = `${rule.replace(/:\*$| \*$/, '')} ${words}`;
  expect(await kindOf(command, rule)).toBe('ask');
  expect(await kindOf(command, command)).toBe('allow');
});

it.each([
  ['npm test:*', 'npm test -- --watch=false'],
  ['npm test:*', 'npm test -- --bail -t "a name" src/a.test.ts'],
  ['npm test:*', 'npm test -w web --silent'],
  ['npm run build:*', 'npm run build --if-present -- --mode production'],
  ['npm install:*', 'npm install --save-dev --no-audit typescript'],
  ['npm:*', 'npm test --prefix web'],
  ['pnpm test:*', 'pnpm test --filter web --reporter=verbose'],
  ['yarn test:*', 'yarn test --coverage --maxWorkers=2'],
  ['cargo test:*', 'cargo test name --release -p x -- --nocapture --test-threads=1'],
  ['cargo clippy:*', 'cargo clippy --all-targets --all-features -- -D warnings'],
  ['go test:*', 'go test ./... -run X -v -count=1 -race -coverprofile=c.out'],
  ['go build:*', 'go build -o bin/x -ldflags "-s -w -X main.version=1" ./cmd/x'],
  ['go vet:*', 'go vet ./...'],
  ['git commit:*', 'git commit -m x'],
  ['git commit:*', 'git commit --amend --no-edit'],
  ['git push:*', 'git push -u origin feature/x'],
  ['git pull:*', 'git pull --rebase origin main'],
  ['git merge:*', 'git merge --no-ff -s ort main'],
  ['git checkout:*', 'git checkout -b x'],
  ['docker compose:*', 'docker compose up -d'],
  ['docker compose:*', 'docker compose logs -f web'],
  ['docker build:*', 'docker build -f Dockerfile.dev -t x .'],
  ['docker run:*', 'docker run --rm -e A=b x npm test --prefix /app'],
  ['kubectl get:*', 'kubectl get pods -n x -o yaml'],
  ['kubectl apply:*', 'kubectl apply -f x.yaml'],
  ['kubectl logs:*', 'kubectl logs --prefix -f x'],
  ['helm template:*', 'helm template . -f values.yaml --set a=b'],
  ['make:*', 'make -j8 test V=1'],
  ['make:*', 'make -f other.mk SHELL=x test'],
  ['make test:*', 'make test --no-print-directory -k'],
  ['mvn test:*', 'mvn test -q -fae -Dtest=X'],
  ['gradle test:*', 'gradle test --tests X -Dorg.gradle.daemon=false'],
  ['pip install:*', 'pip install -r requirements.txt -U'],
  ['uv run:*', 'uv run pytest -q'],
  ['prettier:*', 'prettier --write src'],
  ['eslint:*', 'eslint --fix --ext .ts src -f stylish'],
  ['vitest run:*', 'vitest run --reporter=verbose src/a.test.ts -t x'],
  ['pytest:*', 'pytest -q -x -k "a and b" -p no:cacheprovider -rA tests'],
  ['playwright test:*', 'playwright test --project=chromium --reporter=list'],
  ['node:*', 'node --import tsx a.ts'],
  ['node --test:*', 'node --test a.test.js --config x'],
  ['gcc:*', 'gcc -O2 -Wall -o x a.c'],
  ['curl:*', 'curl -s https://a.example/'],
  ['ruff check:*', 'ruff check --fix .'],
  ['terraform plan:*', 'terraform plan -var-file=dev.tfvars'],
])('%s covers %s', async (rule, command) => {
  expect(await kindOf(command, rule)).toBe('allow');
});

it.each([
  ['npm test --prefix:*', 'npm test --prefix web -- -t x'],
  ['docker compose -f dev.yml:*', 'docker compose -f dev.yml up -d'],
  ['go test -exec ./x:*', 'go test -exec ./x ./...'],
  ['make -C web:*', 'make -C web test'],
  ['eslint --config=* src', 'eslint --config=x.js src'],
])('the rule %s names it in %s', async (rule, command) => {
  expect(await kindOf(command, rule)).toBe('allow');
});
